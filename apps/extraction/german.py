"""German clauses worth keeping. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction.languages import joined

_LEAD = joined(r"""
    ^(?:(?:seit|ab|im|in|am|als|bei|für|wegen|nach) [^,.;]{2,40}?,? |
    (?:ab (?:jetzt|sofort)|künftig|in zukunft|normalerweise|eigentlich|meistens|grundsätzlich|beruflich|privat|
    inzwischen|mittlerweile|jetzt|nur|auch|leider),? )?
""")
_ADVERB = joined(r"""
    (?:auch|nur|immer|nie|niemals|nicht mehr|nicht|meistens|meist|oft|gern|gerne|lieber|sehr|selbst|jetzt|seit \w+|
    schon|noch|leider|grundsätzlich|normalerweise|inzwischen|dort|hier|jeden \w+|täglich|am liebsten|ausschließlich|
    ungern|selten|kaum)
""")
# Verbs of the first person that wish, think or tell of the moment.
_NOT_HABIT = joined(r"""
    (?:glaube|denke|meine|hoffe|finde|suche|möchte|will|würde|hätte|wäre|könnte|kann|muss|soll|sollte|darf|brauche|
    verstehe|weiß|weiss|frage|warte|danke|freue|sehe|höre|hole|gehe|komme|sage|schicke|sende|melde|versuche|
    probiere|wünsche|wollte|war|hatte|wurde|werde|habe|bin|bekomme|stehe|sitze|bestelle|buche|kaufe|zahle|überlege|
    vermute|schätze|nehme an|stimme|bitte|grüße|dachte|lasse|mache|gebe|erhalte|schaue|gucke|rufe|schreibe ihnen|
    schreibe dir|liebe es|interessiere|überprüfe|klicke|öffne|starte|hasse es|vergesse|erinnere|entschuldige)
""")
_DURABLE = joined(r"""
    (?:allergisch|vegan|veganer\w*|vegetarisch|vegetarier\w*|schwanger|diabetiker\w*|laktoseintolerant|schwerhörig|
    gehörlos|blind|farbenblind|linkshänder\w*|rechtshänder\w*|rollstuhlfahrer\w*|evangelisch|katholisch|muslim\w*|
    jüdisch|verheiratet|geschieden|verwitwet|ledig|alleinerziehend\w*|rentner\w*|pensioniert|selbstständig|
    selbständig|freiberuflich\w*|freiberufler\w*|arbeitslos|berufstätig|student\w*|schüler\w*|anfänger\w*|
    nichtraucher\w*|raucher\w*|legastheniker\w*|asthmatiker\w*|zuständig|verantwortlich|geboren|aufgewachsen|
    angestellt|versichert|mitglied|krankenversichert|privatversichert|kurzsichtig|empfindlich|nachtmensch|
    frühaufsteher\w*|(?:\d+|[a-zäöü]+ig) jahre alt|von beruf|vater|mutter|zweisprachig|schichtarbeiter\w*|beamt\w+|
    azubi|(?-i:[A-ZÄÖÜ])\w+(?:er|erin|mann|frau|ent|entin|ist|istin|loge|login|in|arzt|ärztin|helfer|pfleger|amme|
    or|eur|eurin))
""")

SELF = joined(rf"""
    {_LEAD}(?:ich (?!(?:{_ADVERB} )*{_NOT_HABIT}\b)(?:{_ADVERB} )*[a-zäöüß]{{3,}}e(?:le|
    re)? (?!(?:das|es|sie|ihn|dich|euch|ihnen|dir|gerade|heute|morgen|gleich|eben|schnell|kurz|mal|dann|da)\b)\S.*|
    ich (?:vertrage|esse|trinke|rauche|fahre|besitze|trage|nehme|lese|spreche|arbeite|wohne|lebe|heiße|
    heisse)\b(?! (?:das|es|sie)\b).*|(?:wohne|lebe|arbeite|heiße|heisse|spreche|vertrage|studiere|pendle|esse|
    trinke|fahre|rauche|trage|nutze|benutze|spiele|lerne|unterrichte|leite) (?!(?:das|es|ich das)\b)\S.*|
    ich \w+ (?:\S+ ){{0,6}}(?:am liebsten|grundsätzlich|immer|nie|niemals|jeden \w+|normalerweise|meistens|
    ausschließlich|prinzipiell)\b.*|ich bin (?:\w+ ){{0,4}}{_DURABLE}\b.*|bin (?:\w+ ){{0,3}}{_DURABLE}\b.*|
    ich (?:bin|habe) (?:\S+[ ]+){{0,8}}(?:umgezogen|gezogen|geheiratet|gekündigt|gewechselt|aufgehört|abgeschafft|
    gelöscht|verkauft|adoptiert|gelernt|studiert|gebrochen|gerissen|operiert|aufgewachsen|geboren|eingezogen|
    abgemeldet)$|ich (?:bin|arbeite) (?:jetzt |nun |inzwischen |nur )*(?:bei|im|in der|am|beim|auf|
    als) (?!(?:der suche|dem weg|gerade|moment|zug|auto|meeting)\b)\S.*|
    (?:ich )?habe (?:ich )?(?:\w+ ){{0,3}}(?:\w*allergie|\w*unverträglichkeit|\w*intoleranz|asthma|diabetes|
    epilepsie|migräne|schuhgröße|größe \d+|höhenangst|flugangst|rheuma|bluthochdruck|neurodermitis|heuschnupfen|
    zöliakie|adhs|legasthenie|kinder|söhne|töchter|zwillinge|katzen?|hunde?n?|hund|pferde?|hühner|kaninchen|
    haustiere?|kein \w+|keine \w+|keinen \w+|führerschein|garten|balkon|wärmepumpe|solaranlage|hörgerät|rollstuhl|
    schrittmacher|geburtstag)\b(?! (?:fragen?|ahnung|zeit|lust|idee|problem)).*|(?:ich )?besitze \S.*|
    ich (?:kann|darf|will|muss|möchte|mag) (?:\w+ ){{0,5}}(?:nicht|kein\w*|nur|nie|immer|niemals|jeden|lieber|
    am liebsten|nicht mehr)\b(?! (?:einloggen|anmelden|finden|öffnen|sehen|warten|lesen|erreichen|zugreifen|
    verstehen|hochladen))(?!.*\b(?:einloggen|anmelden|finden|öffnen|zugreifen|hochladen|bestellen|stornieren|
    verstehen|heute|gerade)\b).*)$|^(?!(?:wenn|falls|ob|was|wer|wie|wo|wann|warum|dass|weil|heute|gerade|jetzt|
    gestern|morgen|damals|früher|hier|da|dann|danach|leider|deshalb|daher|vielleicht|hiermit|danke|das|es|so|gern|
    bald|eben|dieses?|diese[nrm]?|den|dem|und|aber|oder|ihre?n?|
    eure?n?)\b)(?:\S+ ){{1,5}}?(?:(?!{_NOT_HABIT}\b)[a-zäöüß]{{3,}}e ich|mag ich|darf ich|
    bin ich (?:\w+ ){{0,3}}{_DURABLE})\b(?!.*\b(?:bitte|heute|gerade|gefunden|bestellt)\b)(?: \S.*|$)
""")

PREFER = joined(r"""
    ^(?:(?:ab (?:jetzt|sofort)|grundsätzlich|immer),? )?(?:(?:ich )?bevorzuge (?:ich )?(?!das\b|es\b)\S.*|
    (?:ich )?ziehe .* vor$)
""")

MINE = joined(r"""
    ^(?:alle |beide )?mein\w* (?!(?:\w+ )?(?:kolleg\w+|schwester|bruder|mann|frau|mutter|mama|vater|papa|sohn|
    tochter|kind(?:er)?|freund\w*|nachbar\w*|oma|opa|partner\w*|bestellung|paket|frage|problem|meinung|termin|
    rechnung|bildschirm|sendung|anliegen|lieferung|fehler|ticket|gepäck|koffer|internet|
    konto)\b)(?:[\w-]+ ){1,5}?(?:ist|sind|lautet|heißt|heißen|hat|haben|beträgt|läuft|muss|braucht|fängt|beginnt|
    endet|liegt|steht|wird|werden|geht|verträgt|hasst|liebt|frisst) (?!(?-i:[a-zäöüß]+)$)(?!(?:kaputt|weg|da|
    noch nicht|leer|verschwunden|falsch|nicht (?:da|angekommen))\b)\S.*$|
    ^mein\w* (?:chef\w*|hausarzt|hausärztin|arzt|ärztin|zahnarzt|zahnärztin|ansprechpartner\w*|notfallkontakt|
    betreuer\w*|anwalt|anwältin|steuerberater\w*|hebamme|vermieter\w*|lehrer\w*|trainer\w*|vertretung) (?:ist|
    heißt) .+$|^(?:ich möchte|mir ist|ich hätte|ich mag|mir sind|ich will) (?:\w+ ){0,4}(?:lieber|am liebsten|
    nur noch)\b.*|^am liebsten (?:ist|wäre|hätte|bin|sitze|esse|trinke|arbeite|lese|reise|fahre|zahle) .*|
    ^ich möchte (?:\w+ ){0,2}(?:keine?n?|nicht mehr) .*(?:anrufe|newsletter|werbung|mails|angerufen|briefe|post|
    kontaktiert).*|^(?!(?:das|es|was|so)\b)(?:\S+ ){1,5}?(?:passt|passen|liegt|liegen|bekommt|bekommen|schmeckt|
    schmecken|reicht|reichen|ist|sind|geht|gehen|tut|machen|macht|wird|hilft|fällt) mir (?:\w+ ){0,2}(?:nicht|
    am besten|besser|lieber|gut|schlecht|wichtig|zu \w+|immer|nie|schwer|leicht|angst|kopfschmerzen|übel|nur|
    schwindelig)\b.*|^(?:\S+ ){1,5}?(?:ist|sind|wäre) nichts für mich\b.*|
    ^(?:\S+ ){1,4}?(?:ist|sind) mein\w* (?:muttersprache|lieblings\w+|hobby|leidenschaft|größe|leben|ding|fall|
    einzig\w+|geburtstag|adresse).*|^(?:bei mir|zu hause|bei uns (?:zu hause|daheim)) \S+ .*|
    ^(?:wir haben|wir halten|wir besitzen) (?:\w+ ){0,3}(?:kinder|hunde?|katzen?|hühner|garten|haus|auto|kein auto|
    wärmepumpe|zwillinge|solar\w*|haustiere?|enkel)\b.*|^unser\w* (?:\w+ )?(?:tochter|sohn|kind\w*|hund|katze|haus|
    wohnung|garten|auto|heizung|wärmepumpe) (?:heißt|heißen|hat|haben|ist|sind) (?!(?:kaputt|krank|weg|da)\b)\S.*$
""")

CONTACT = joined(r"""
    ^(?:bitte )?(?:rufen sie mich|ruf mich|ruft mich|schreiben sie mir|schreib mir|schreibt mir|mailen sie mir|
    kontaktieren sie mich|antworten sie mir|antworte mir|antwortet mir|duzen sie mich|duzt mich|siezen sie mich|
    sprechen sie mich|nennen sie mich|nenn mich|nennt mich|schicken sie mir|schick mir|schickt mir|wecken sie mich|
    erinnern sie mich)\b (?:.*\b)?(?:nur|erst|nie|niemals|nicht|immer|lieber|ab|nach|vor|zwischen|per|auf|künftig|
    grundsätzlich|keine?n?|jeden|jede|mit|(?-i:[A-Z]\w+))\b(?!.*\b(?:heute|morgen früh|gleich|einmal)\b).*|
    ^(?:bitte )?(?:immer|nie|niemals|grundsätzlich|künftig|in zukunft|ab (?:jetzt|sofort)|generell)\b.*\b(?:mir|
    mich|meine\w*|antwort\w*|duzen|siezen|deutsch|englisch|kurz|stichpunkt\w*|anrufen|schreiben|liegestuhl|fenster|
    gang)\b.*|^(?:bitte )?(?:keine?n? )(?:anrufe|newsletter|werbung|emojis|fachbegriffe|briefe|sprachnachrichten|
    fremdwörter|smileys)\b.*|^(?:am besten|man erreicht mich|sie erreichen mich|ihr erreicht mich|
    erreichbar bin ich|du erreichst mich) .*
""")

OURS = joined(r"""
    ^(?:(?:ab|seit|für|in|am|bei) [^,]{2,30}?,? )?(?:(?:ist|sind|beträgt|gilt|hat|
    haben) )?(?:alle )?unser\w* (?!(?:\w+ )?(?:tochter|sohn|kind\w*|hund|katze|wohnung|haus|bestellung|paket|urlaub|
    termin|zelt|auto|garten|heizung|zug|flug|hotel|zimmer|reise|hochzeit)\b)(?:[\w-]+ ){1,5}?(?:ist|sind|beträgt|
    betragen|hat|haben|gilt|gelten|muss|müssen|braucht|brauchen|dauert|läuft|laufen|endet|beginnt|öffnet|schließt|
    kostet|werden|wird|liegt|liegen|steht|stehen|heißt|heißen|nutzt|verwendet|geht|gehen|darf|dürfen|bleibt|trifft|
    tagt|sitzt|arbeitet|arbeiten|unterstützt)\b(?!kaputt|weg|da\b|noch nicht|gerade|heute).+$|
    ^(?:(?:ab|seit|für|in|am|an|zu|bei|vor|nach|alle|jeden|freitags|montags|samstags|sonntags|künftig|
    grundsätzlich) (?:[\wäöüß.-]+ ){0,5}?)?(?:wir )?(?:nicht )?(?:liefern|versenden|akzeptieren|öffnen|schließen|
    deployen|verwenden|nutzen|benutzen|erstatten|berechnen|rechnen|impfen|behandeln|nehmen|arbeiten|bieten|
    unterstützen|prüfen|testen|entwickeln|verkaufen|vermieten|backen|stellen|führen|zahlen|buchen|setzen|speichern|
    löschen|sichern|archivieren|veröffentlichen|releasen|mergen|rollen|schreiben|benennen|halten|treffen|fragen|
    verlangen|brauchen|erlauben|verbieten|schulen|betreiben|hosten|laufen|schicken|geben|bestellen|produzieren|
    fertigen|haben (?:\w+ ){0,3}(?:mitarbeiter\w*|standorte?|filialen?|regel\w*|server|ruhetag|kunden|
    betriebsferien|lizenzen|entschieden|umgestellt|abgeschafft|eingestellt|versprochen|zugesagt|unterschrieben|
    gewechselt))\b (?:wir )?(?!(?:gerade|heute|das|es|sie)\b)\S.*$|
    ^wir (?!haben|sind|wollen|möchten|können|müssen|sollen|brauchen|suchen|warten|freuen|hoffen|glauben|denken|
    finden|sehen|gehen|kommen|fahren|sitzen|stehen|wohnen|leben|essen|trinken|schlafen|heiraten|ziehen|reisen|
    machen|lassen|wären|hätten|würden|könnten|werden|waren|hatten|wissen|danken|bitten|
    überlegen)[a-zäöüß]{3,}en (?!(?:gerade|heute|das|es|sie|uns)\b)\S.*$|
    ^wir haben (?:\w+ ){0,2}keine?n? (?!(?:zeit|ahnung|strom|internet|fragen?|lust|idee|platz mehr|wasser|netz|
    empfang|eile)\b)\S.*$|^wir (?:sind|waren) (?:\S+ ){0,4}(?:umgezogen|zertifiziert|verpflichtet|umgestiegen|
    geschlossen|ein (?:\S+ )?(?:team|betrieb|unternehmen|verein)|eine (?:\S+ )?(?:firma|praxis|agentur|gmbh|schule|
    kanzlei|genossenschaft)|zu (?:zweit|dritt|viert|fünft)|bei|auf)\b.*$|
    ^(?:ab sofort|ab jetzt|ab [\w.]+(?: \w+)?) (?:gilt|gelten|ist|sind|beträgt|dauert|kostet|haben|hat|schließt|
    öffnet)\b:? .*$|^(?:immer|nie|niemals) (?!wieder|mehr|im leben)[\w ]+ \S.*$|
    ^(?!(?:das|es|was|wer|wie|wann|warum|gibt|ist|kann|wenn|falls)\b)(?:\S+ ){1,8}?(?:bei uns|
    hier im (?:team|betrieb|büro|haus)|in unsere\w* \w+)\b(?!.*\b(?:gerade|heute|kaputt|zu hause|daheim)\b).+$|
    ^bei uns (?!(?:zu hause|daheim|gerade|ist gerade|im garten)\b)\S+ .+$|
    ^(?:jede[rs]?|alle|kein\w*|niemand|nur|ohne|vor jede\w+|nach jede\w+) (?:\S+ ){1,7}?(?:muss|müssen|darf|dürfen|
    wird|werden|braucht|brauchen|geht|gehen|hat|haben|bekommt|bekommen|gilt|gelten|kostet|läuft|ist|
    sind)\b(?! (?:toll|schön|gut|super|so)\b) ?.*$|^(?-i:[A-ZÄÖÜ])[\wäöüß-]+ (?:\S+ ){0,6}?(?:müssen|dürfen|muss|
    darf|gehen (?:an|über|nur|immer)|werden (?:nur|immer|nie|nicht|erst|am|vom|von|bis|jeden)|
    wird (?:nur|immer|nie|nicht|erst|am|vom|von|jeden)|gilt|gelten|gibt es (?:nur|erst|nicht|keine?n?)|
    sind (?:nur|immer|nie|bei|erst)|liegt (?:im|in|bei|am)|liegen (?:im|in|bei|am)|läuft (?:auf|über)|
    laufen (?:auf|über)|lauscht auf|unterschreibt|genehmigt|entscheidet)\b(?! (?:ich|du|sie|wir|ihr|mich|mir|
    dich)\b)(?!.*\b(?:ich|mir|mich|mein\w*|heute|gerade)\b).+$
""")
