"""German, Spanish, Portuguese and French clauses worth keeping. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction.languages import joined

PREFER = joined(r"""
    ^(?:(?:ab (?:jetzt|sofort)|ahora|a partir de ahora|agora|a partir de agora|maintenant|
    désormais),? )?(?:(?:ich )?bevorzuge (?:ich )?(?!das\b|es\b)\S.*|(?:ich )?ziehe .* vor$|
    (?:yo )?prefiero (?!que me (?:llam|escrib|mand))(?!(?:el|la|los|las) (?:azul|roj|verde|negr|primer|segund|
    otr)\w*)\S.*|(?:eu )?prefiro (?!(?:o|a|os|as) (?:azul|vermelh|verde|pret|primeir|segund|outr)\w*)\S.*|
    je préfère (?!(?:le|la|les) (?:bleu|rouge|vert|noir|premi|second|autre)\w*)\S.*)
""")

SELF_DE = joined(r"""
    ^(?:(?:seit|ab|im) [^,]{2,25}?,? )?(?:ich )?(?:(?:wohne|lebe|arbeite|heiße|heisse|spreche|vertrage|studiere|
    pendle) (?:ich )?(?!das\b|es\b)\S.*|ich (?:bin|habe) (?:\w+[ ,]+){0,8}(?:umgezogen|gezogen)$|(?:bin|
    ich bin) (?:\w+ ){0,3}(?:allergisch|vegan|veganer\w*|vegetarier\w*|schwanger|diabetiker\w*|laktoseintolerant|
    schwerhörig|linkshänder\w*|rollstuhlfahrer\w*|evangelisch|katholisch|muslim\w*)\b.*|(?:habe|
    ich habe) (?:ich )?(?:\w+ ){0,3}(?:\w*allergie|\w*unverträglichkeit|asthma|diabetes|schuhgröße|größe \d+)\b.*|
    ich (?:nutze|benutze|verwende|trage|fahre|esse|trinke|nehme|brauche) (?!das\b|es\b)(?:\w+ ){0,4}(?:nur|nie|
    immer|kein\w*|größe|windows|linux|mac\w*|android|iphone)\b.*)|^mein\w* (?:neue |private |
    vollständiger )?(?:name|adresse|e-?mail\w*|telefonnummer|handynummer|nummer|schuhgröße|größe|geburtstag|
    hausarzt|muttersprache|firma|arbeitgeber|krankenkasse) (?:ist|lautet|heißt)\b.*|^(?:ich möchte|mir ist|
    ich hätte|ich mag) (?:\w+ ){0,4}(?:lieber|am liebsten|nur noch)\b.*|^am liebsten (?:ist|wäre|hätte|bin) .*|
    ^ich möchte (?:\w+ ){0,2}(?:keine?n?|nicht mehr) .*(?:anrufe|newsletter|werbung|mails|angerufen).*
""")

CONTACT_DE = joined(r"""
    ^(?:bitte )?(?:rufen sie mich|ruf mich|ruft mich|schreiben sie mir|schreib mir|mailen sie mir|
    kontaktieren sie mich|antworten sie mir|antworte mir) (?:bitte )?(?:nur|erst|nie|nicht|immer|lieber|ab|nach|vor|
    zwischen|per|auf)\b.*
""")

SELF_ES = joined(r"""
    ^(?:yo )?(?:(?:ahora |ya no |no |desde \S+ )?(?:vivo en|trabajo (?:en|para|como|de)|me llamo|soy (?:alérgic[oa]|
    vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa]|intolerante|zurd[oa]|enfermer[oa]|profesor[oa]|médic[oa]|
    ingenier[oa]|autónom[oa]|jubilad[oa]|de )|hablo|uso (?:una? )?(?:talla|windows|linux|mac|android|iphone)|calzo|
    tengo (?:una? )?(?:alergia|asma|diabetes|intolerancia|(?:dos|tres|un|una) hij)|como (?:carne|gluten|pescado)|
    tomo (?:metformina|insulina|sintrom))|me (?:he mudado|mudé|cambié|trasladé) (?:a|de))\b.*|^(?:mi|
    mis) (?:nuev[oa] )?(?:nombre|dirección|correo(?: electrónico)?|teléfono|móvil|número|talla|idioma|médic[oa]|
    cumpleaños|empresa|apellido) (?:es|son)\b.*
""")

CONTACT_ES = joined(r"""
    ^(?:por favor,? )?(?:(?:no )?(?:llámame|llámeme|me llame[ns]?|escríbame|escríbeme|contácteme|
    mándeme) (?:.*\b)?(?:solo|sólo|después|antes|siempre|nunca|por|entre|a partir|al|en)\b.*|prefiero que me .*)
""")

SELF_PT = joined(r"""
    ^(?:eu )?(?:(?:agora |já não |não |desde \S+ )?(?:moro (?:em|no|na|n[oa]s)|vivo (?:em|no|na)|
    trabalho (?:n[oa]s?|em|como|para|por)|chamo-me|me chamo|sou (?:alérgic[oa]|vegan[oa]|vegetarian[oa]|celíac[oa]|
    diabétic[oa]|intolerante|canhot[oa]|enfermeir[oa]|professor[a]?|médic[oa]|engenheir[oa]|reformad[oa]|
    aposentad[oa]|d[eoa] )|falo|uso (?:o |um )?(?:tamanho|windows|linux|mac|android|iphone)|calço|
    tenho (?:uma? )?(?:alergia|asma|diabetes|intolerância|(?:dois|duas|três|um|uma) filh)|como (?:carne|glúten|
    peixe)|tomo (?:metformina|insulina|varfarina))|(?:me mudei|mudei-me|mudei|acabei de me mudar) (?:para|de))\b.*|
    ^(?:o |a )?(?:meu|minha) (?:nov[oa] )?(?:nome|morada|endereço|e-?mail|telefone|telemóvel|celular|número|tamanho|
    idioma|médic[oa](?: de família)?|aniversário|empresa|apelido) (?:é|são|agora é)\b.*
""")

CONTACT_PT = joined(r"""
    ^(?:por favor,? )?(?:(?:só )?(?:não )?(?:me )?(?:ligue|ligar|liguem|liga|contacte|escreva|mande)(?:-me|
    [ ]para mim| pra mim)? (?:.*\b)?(?:só|depois|antes|sempre|nunca|por|entre|a partir|mensagem)\b.*|
    (?:só )?me ligu?em? .*|prefiro que me .*)
""")

SELF_FR = joined(r"""
    ^(?:(?:maintenant|depuis \S+),? )?(?:j'habite|je (?:n')?habite|je vis (?:à|en|au|dans)|je travaille (?:chez|à|
    pour|comme|au|en|dans)|je m'appelle|je suis (?:allergique|végétarien\w*|végan\w*|vegan|cœliaque|diabétique|
    intolérante?|gauch\w+|infirmi\w+|profess\w+|retraitée?|ingénieure?)|je parle|j'utilise (?:un |une )?(?:mac|
    windows|linux|android|iphone)|je chausse|j'ai (?:une? )?(?:allergie|asthme|diabète|intolérance|(?:deux|trois|un|
    une) (?:enfants?|fils|fille))|je ne (?:mange|bois|parle) (?:pas|plus)|j'ai déménagé (?:à|en|au|de)|je (?:viens|
    suis) de (?:déménager|lyon|paris|marseille))\b.*|^(?:mon|ma|mes) (?:nouve(?:au|lle) )?(?:nom|
    adresse(?: e-?mail)?|e-?mail|téléphone|numéro|taille|pointure|langue|médecin|anniversaire|entreprise|
    prénom) (?:est|sont)\b.*
""")

CONTACT_FR = joined(r"""
    ^(?:s'il vous plaît,? |merci de )?(?:ne )?(?:m'appelez|appelez-moi|appeler|me téléphoner|écrivez-moi|
    contactez-moi|m'écrire) (?:.*\b)?(?:seulement|après|avant|toujours|jamais|pas|par|entre|plutôt|uniquement)\b.*
""")

OURS_DE = joined(r"""
    ^(?:(?:ab|seit) [^,]{2,25}?,? )?(?:(?:ist|sind|beträgt|gilt|hat|haben) )?unser\w* (?!(?:\w+ )?(?:tochter|sohn|
    kind\w*|hund|wohnung|haus|bestellung|paket|urlaub|termin|zelt|auto)\b)(?:[\w-]+ ){1,4}?(?:ist|sind|beträgt|
    betragen|hat|haben|gilt|gelten|muss|müssen|braucht|dauert|läuft|endet|beginnt|öffnet|schließt|kostet|werden|
    wird)\b (?!kaputt|weg|da\b|noch nicht).+$|^(?:ab (?:sofort|jetzt|\w+) )?(?:wir )?(?:liefern|versenden|
    akzeptieren|öffnen|schließen|deployen|verwenden|nutzen|erstatten|berechnen|impfen|behandeln|
    nehmen) (?:wir )?\S.*$|^(?:ab sofort|ab jetzt|ab [\w.]+(?: \w+)?) (?:gilt|gelten|ist|sind|beträgt|dauert|kostet|
    haben|hat|schließt|öffnet)\b:? .*$|^(?:immer|nie|niemals) (?!wieder|mehr|im leben)[\w ]+ \S.*$
""")

OURS_ES = joined(r"""
    ^(?:(?:desde|a partir de) [^,]{2,25}?,? )?(?:nuestr[oa]s? (?!(?:hij|perr|casa|piso|pedido|paquete|cita|
    tienda de campaña)\w*)(?:[\w-]+ ){1,5}?(?:es|son|está|están|tiene|dura|cuesta|abre|cierra|debe)\b .+|
    (?:a partir de ahora|de ahora en adelante),? (?:las?|los?|el) (?:[\w-]+ ){1,5}?(?:es|son|tienen?|duran?|
    cuestan?)\b .+|(?:siempre|nunca) (?!me\b|he\b|más\b|había)\w+ \S.*)$
""")

OURS_PT = joined(r"""
    ^(?:(?:desde|a partir d\w) [^,]{2,25}?,? )?(?:(?:o |a |os |as )?noss[oa]s? (?!(?:filh|cachorr|cão|casa|
    encomenda|pedido|barraca|tenda)\w*)(?:[\w-]+ ){1,5}?(?:é|são|está|estão|tem|têm|dura|custa|abre|fecha|deve|
    passa a|passou a)\b .+|(?:a partir de agora|de agora em diante|daqui em diante),? (?:as?|
    os?) (?:[\w-]+ ){1,5}?(?:é|são|têm?|passam? a|custam?|duram?)\b .+|(?:sempre|nunca) (?!me\b|mais\b|tinha\b|
    vi\b)\w+ \S.*)$
""")

OURS_FR = joined(r"""
    ^(?:(?:depuis|à partir d\w+) [^,]{2,25}?,? )?(?:(?:notre|nos) (?!(?:mud|cambi|vamos|enfant|fille|fils|chien|
    maison|commande|colis|rendez-vous|tente)\w*)(?:[\w'-]+ ){1,5}?(?:est|sont|a|ont|dure|coûte|ouvre|ferme|doit|
    passe à)\b .+|(?:désormais|dorénavant|à partir de maintenant),? (?:les?|la|l') ?(?:[\w'-]+ ){1,5}?(?:est|sont|a|
    ont|passe\w* à|coûte\w*)\b .+|(?:toujours|jamais) \w+ \S.*)$
""")
