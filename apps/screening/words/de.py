"""German."""

from apps.screening.patterns import joined

CONCEPTS = {
    "conceal": joined(r"""
        (?:sag|sage|sagen sie|erzahl|erzahle|verrat|verrate|teile|melde)[^.!?\n]{0,12}? (?:dem|den|
        der)? ?(?:nutzer|benutzer|kunden|kunde|betreiber|anwender|besitzer|admin)\w*[^.!?\n]{0,12}?(?:nichts|
        nicht)|ohne (?:es |das )?(?:dem|den) (?:nutzer|benutzer|kunden|betreiber|anwender)\w* (?:zu sagen|
        mitzuteilen|zu informieren)|(?:vor|gegenuber) dem (?:nutzer|betreiber|kunden)[^.!?\n]{0,12}? (?:geheim|
        verborgen)
    """),
    "unrestricted": joined(r"""
        ohne (?:jede |jegliche |alle )?(?:einschrankung(?:en)?|grenzen|filter|regeln|beschrankungen)|
        uneingeschrankt\w*|keine (?:einschrankungen|regeln|grenzen|beschrankungen)(?: mehr)?
    """),
    "override": joined(r"""
        ignorier\w*|vergiss|vergessen sie|missacht\w*|umgeh\w*|ubergeh\w*|verwirf|uberschreib\w*|
        setze? [^.!?\n]{0,40}ausser kraft|befolge? [^.!?\n]{0,30}nicht(?: mehr)?|halte? dich nicht(?: mehr)? an
    """),
    "persona": joined(r"""
        du bist (?:jetzt|nun|ab sofort|ab jetzt|von nun an|kunftig)|sie sind (?:jetzt|nun|ab sofort)|
        tu so,? als|gib dich als|spiel(?:e)? die rolle|deine neue (?:aufgabe|rolle) (?:ist|lautet)
    """),
    "prior": joined(r"""
        bisherig\w*|vorherig\w*|vorig\w*|fruher\w*|dein\w*|ihre|obig\w*|vorangegangen\w*|vorher|zuvor
    """),
    "rules": joined(r"""
        \w*anweisung\w*|sicherheitsprufung\w*|instruktion\w*|regeln|\w*vorgaben|\w*regeln|richtlinien|befehle|
        beschrankungen|(?:alles,? was (?:dir|man dir) [^.!?\n]{0,20}gesagt)
    """),
    "authority": joined(r"""
        (?:nachricht|meldung|hinweis|anweisung|befehl) (?:vom|des|der|von der|von) (?:system|administrator\w*|
        admin|entwickler\w*|geschaftsleitung)|als (?:dein |der )?(?:entwickler|administrator|admin|
        betreiber)[^.!?\n]{0,40}? (?:erlaube|befehle|ermachtige|autorisiere)
    """),
    "note": r"hinweis|notiz|nachricht|anweisung|befehl|mitteilung|erinnerung|achtung|an (?:die|den|das)",
    "assistant": r"\w*assistent\w*|ki|bot|chatbot|agent\w*|sprachmodell|modell",
    "standing": joined(r"""
        ab jetzt|ab sofort|von nun an|von jetzt an|kunftig|in zukunft|zukunftig|fortan|stets|immer|jedes mal|
        dauerhaft
    """),
    "send": joined(r"""
        leite|leiten sie|weiterleiten|weiterzuleiten|schick\w*|send\w*|kopier\w*|ubermittl\w*|ubermittel\w*|
        maile|hange|hang|lade|poste|weitergeleitet|gesendet|geschickt
    """),
    "each": r"jede\w*|alle\w*|samtlich\w*|jegliche|ganze\w*",
    "output": r"antwort(?:en)?|nachricht(?:en)?|ausgabe\w*|anfrage\w*|fragen?|eingabe\w*",
    "log": r"gesprach\w*|unterhaltung\w*|chatverlauf\w*|chat|verlauf|protokoll\w*|dialog\w*",
    "reveal": joined(r"""
        zeig\w*|nenn\w*|verrat\w*|gib|geben sie|liste\w*|enthull\w*|drucke|offenbar\w*|wiederhol\w*|sag mir|
        teile
    """),
    "confidential": joined(r"""
        system-?prompt\w*|systemanweisung\w*|zugangsdat\w*|anmeldedat\w*|api-?schlussel\w*|admin-?notiz\w*|
        geheim\w* \w+|vertraulich\w* \w+|(?:geheim\w* )?systemprompt|deine (?:genauen )?anweisungen|
        intern\w* (?:notiz\w*|anweisung\w*|daten)|kundendaten|nutzerdaten|passwort des admin\w*
    """),
    "password": r"passwort|passworter|schlussel|kennwort",
    "cond": r"wenn|falls|sobald|immer wenn|sollte|sooft|jedes mal,? wenn",
    "anyone": joined(r"""
        jemand\w*|irgendwer|wer|ein (?:kunde|nutzer|benutzer|besucher|anrufer)|kunden|nutzer|man|leute
    """),
    "ask": joined(r"""
        fragt\w*|frage nach|erwahn\w*|sagt|nachfrag\w*|wissen (?:will|mochte)|anspricht|schreibt|gefragt wird|
        spricht
    """),
    "answer": joined(r"""
        antworte|antworten sie|sag|sage|sagen sie|behaupt\w*|erwidere|entgegne|bestatig\w*|nenne|empfiehl|gib
    """),
    "store": r"speicher\w*|merk dir|merke dir|merken sie sich|behalte",
    "forever": r"dauerhaft|fur immer|permanent|auf dauer|im gedachtnis|ewig",
    "noapproval": joined(r"""
        (?:keine?r?|ohne) (?:weitere )?(?:genehmigung|freigabe|prufung|bestatigung|zustimmung|kontrolle|
        erlaubnis|uberprufung)|prufung (?:zu )?uberspring\w*|prufung zu uberspringen|
        nicht genehmigt werden mussen
    """),
    "payment": joined(r"""
        bankkont\w*|konto\w*|kontonummer|iban|rechnung\w*|zahlung\w*|erstattung\w*|ruckerstattung\w*|
        uberweis\w*|guthaben|geld
    """),
    "approve": r"freigeben|freigibt|genehmig\w*|bestatig\w*|uberweis\w*|gewahr\w*|erlaub\w*|ausfuhr\w*",
    "tool": r"(?:ruf\w*|starte|fuhre?|verwende|benutze)",
    "not": r"nicht|nie|niemals|kein|keine|keinen",
    "voided": r"ungultig|aufgehoben|hinfallig|(?:gilt|gelten) nicht(?: mehr)?|ausser kraft",
    "obey": r"folge (?:ab jetzt |von nun an )?nur(?: noch)?|gehorche nur|hore nur(?: noch)? auf",
    "jailbreak": r"dan-modus",
    "reader": joined(r"""
        (?:wenn|sobald|falls) du (?:dies|das|diesen text) liest|(?:falls|wenn) du eine (?:ki|sprachmodell) bist|
        (?:ki|sprachmodell\w*|assistent\w*),? (?:die|das|der) (?:dies|diesen text|dieses dokument) (?:liest|
        verarbeitet)
    """),
}
