"""Names what a statement is about, so that two statements on the same thing can be seen to disagree."""

import re

from apps.extraction.languages import joined

# (about, slug, what to look for): the first that fits names the statement.
_RULES: tuple[tuple[str, str, str], ...] = (
    ("speaker", "allergy", r"al+[eé]rg|anaphyla"),
    (
        "speaker",
        "diet",
        joined(r"""
            \b(?:vegan|vegetarian|pescatarian|vegetari|végétarien|vegetaria|coeliac|celiac|celíac|zöliakie|cœliaque|
            gluten|lactose|lakto|lactosa|kosher|halal|(?:eat|eats|esse|mange) )|^(?:yo |eu |ya |já |no |
            não )*como[ ]
        """),
    ),
    (
        "speaker",
        "health",
        joined(r"""
            \b(?:diabet|asthma|asma|epilep|pregnan|schwanger|embarazad|grávida|enceinte|hypertension|pacemaker|
            arthrit|migraine|wheelchair|rollstuhl|deaf|hard of hearing|schwerhörig|colou?r-?blind|blood (?:pressure|
            thinner)|warfarin|metformin|insulin|intoleran|ibuprofen|aspirin|surgery|adhd|dyslexi)
        """),
    ),
    (
        "speaker",
        "name",
        joined(r"""
            ^(?:my (?:full |first |last |real )?(?:name|surname)\b|i'm called|i am called|i go by|(?:i'm|
            i am) (?-i:[A-ZÀ-Ý][a-zà-ÿ'-]+ [A-ZÀ-Ý])|mein name|ich heiße|(?:ich )?heisse|me llamo|mi nombre|
            chamo-me|me chamo|(?:o )?meu nome|je m'appelle|mon nom|(?:please |everyone )?calls? me (?-i:[A-Z]))
        """),
    ),
    (
        "speaker",
        "contact-language",
        joined(r"""
            \b(?:answer|reply|respond|write|talk|speak|prefer|bevorzuge|prefiero|prefiro|préfère)\b.*\b(?:in|en|em|
            auf) (?:english|german|portuguese|spanish|french|italian|dutch|polish|japanese|deutsch|englisch|
            português|español|inglés|inglês|français|anglais)
        """),
    ),
    (
        "speaker",
        "language",
        joined(r"""
            \b(?:speak|spreche|hablo|falo|parle|native language|mother tongue|first language|muttersprache)\b
        """),
    ),
    (
        "speaker",
        "contact-hours",
        joined(r"""
            \b(?:call|phone|ring|reach|text|anrufen|rufen|ruf|llám\w+|llame\w*|ligu\w+|ligar|appel\w+)\b.*(?:after|
            before|between|until|morning|afternoon|evening|weekday|weekend|\bnach\b|\bvor\b|\bab\b|zwischen|después|
            antes|depois|après|avant|entre|hours)|\b(?:reachable|available|usually online|online (?:between|from|
            after|until)|at my desk)\b
        """),
    ),
    ("speaker", "email", r"\b(?:e-?mail(?: address)?|correo|adresse e-?mail)\b.{0,20}\S+@\S+"),
    (
        "speaker",
        "phone",
        joined(r"""
            ^my number\b|\b(?:phone|mobile|cell|handy|telefonnummer|handynummer|teléfono|móvil|telefone|telemóvel|
            téléphone)\b.*\d{3}
        """),
    ),
    (
        "speaker",
        "contact-channel",
        joined(r"""
            \b(?:e-?mail\w*|text(?:s|ed)?|sms|phone calls?|calls?|phone|whatsapp|anrufe?n?|telefon\w*|mensaje\w*|
            mensage\w*|correo|llamadas?|llamen|ligações|mensagem|appels?|téléphone|letters?|
            post)\b(?!.*\b(?:android|iphone)\b)
        """),
    ),
    (
        "speaker",
        "home-city",
        joined(r"""
            \b(?:(?:live|living|based|moved|relocated|moving)\b.*\b(?:in|to|near|at|from)\b|wohne|lebe in|umgezogen|
            gezogen|vivo en|me (?:he )?mud|moro|vivo (?:em|no|na)|mudei|j'habite|je vis|déménagé|
            my (?:\w+ )?(?:city|town)\b)
        """),
    ),
    (
        "speaker",
        "address",
        joined(r"""
            \b(?:my (?:\w+ )?address|meine adresse|mi dirección|(?:minha|a minha) morada|meu endereço|mon adresse)\b
        """),
    ),
    (
        "speaker",
        "employer",
        joined(r"""
            \b(?:work(?:ing)? (?:at|for)|started (?:at|working)|joined|my (?:\w+ )?(?:employer|company)|arbeite bei|
            firma|trabajo (?:en|para)|trabalho (?:n[oa]s?|em|para)|travaille (?:chez|à|pour)|quit my job|
            left my job|retired|self-employed|unemployed)\b
        """),
    ),
    (
        "speaker",
        "role",
        joined(r"""
            \b(?:work as|i(?:'m| am) (?:an?|the) \w+|arbeite als|trabajo como|trabalho como|travaille comme|
            on the \w+(?: \w+)? team|in the \w+(?: \w+)? team|my (?:job|role|title))\b
        """),
    ),
    (
        "speaker",
        "shoe-size",
        joined(r"""
            \b(?:shoe size|boot size|schuhgröße|calzo|calço|je chausse|pointure)\b|\b(?:size|a) (?:3[5-9]|4\d|
            5[0-2])\b
        """),
    ),
    ("speaker", "size", r"\b(?:size|talla|tamanho|taille|größe|medium|large|x+l)\b"),
    (
        "speaker",
        "family",
        joined(r"""
            \b(?:married|divorced|single|widowed|engaged|kids?|child|children|sons?|daughters?|twins|dogs?|cats?|
            kinder|hij[oa]s?|filh[oa]s?|enfants?)\b
        """),
    ),
    (
        "speaker",
        "absence",
        joined(r"""
            \b(?:away|on (?:holiday|vacation|(?:\w+ )?leave)|out of (?:the )?office|abroad|travell?ing|
            unavailable)\b
        """),
    ),
    ("speaker", "invoice-format", r"\b(?:invoices?|receipts?|bills)\b"),
    (
        "work",
        "refund-window",
        joined(r"""
            \b(?:refund|return|rückgabe|devoluci[oó]n|devoluç|troca|retour|remboursement)\w*(?: (?:window|period|
            policy))?\b.*(?:\d+|thirty|fourteen|sixty|forty)\W*(?:-| )?(?:day|week|month|tag|woch|día|seman|dia|
            jour)
        """),
    ),
    (
        "work",
        "free-shipping",
        joined(r"""
            \b(?:free (?:shipping|delivery)|ships? free|shipping is free|delivery is free|versandkostenfrei|
            envío gratis|frete grátis|portes grátis|livraison gratuite)\b
        """),
    ),
    ("work", "cancellation-window", r"\bcancell?ation\w*\b|\bno-shows?\b|\babsage\w*\b|\bcancelamento\w*\b"),
    (
        "work",
        "opening-hours",
        joined(r"""
            \b(?:opens?|closes?|closed|opening hours|öffnet|schließt|öffnungszeiten|abre|cierra|fecha|horario|
            horário|ouvre|ferme)\b
        """),
    ),
    (
        "work",
        "deploy-window",
        joined(r"""
            \bdeploy\w*\b.*\b(?:friday|monday|tuesday|wednesday|thursday|weekend|before|after|until|freitag\w*|
            sexta\w*|viernes)\b|\b(?:release|code|deploy) freeze\b
        """),
    ),
)
_COMPILED = tuple((about, slug, re.compile(pattern, re.IGNORECASE)) for about, slug, pattern in _RULES)
_THING = re.compile(
    r"^(?:(?:as of|from|since|starting) [^,]{2,25},? )?(?:my|our|the) ((?:[A-Za-z][\w-]* ){0,3}?[A-Za-z][\w-]*)"
    r"(?:'s| (?:is|are|has|have|must|needs?|takes?|costs?|lasts?|opens?|closes?|runs?|lives?|moved|changed|now"
    r"|only))\b",
    re.IGNORECASE,
)
_NOT_PART = frozenset(
    {"new", "current", "usual", "preferred", "favourite", "favorite", "standard", "normal", "whole", "old"}
)

# Of these a person or a team has one at a time: a later statement that says it is a change replaces the earlier.
SINGLE = frozenset(
    {"name", "home-city", "address", "email", "phone", "employer", "contact-channel", "contact-hours"}
    | {"contact-language", "shoe-size", "size", "refund-window", "free-shipping", "cancellation-window", "absence"}
    | {"invoice-format", "time-zone", "timezone"}
)


def attribute_of(clause: str, about: str) -> str | None:
    """The slug for a clause as said, or null when it fits none."""
    said = clause.replace("’", "'")
    for side, slug, pattern in _COMPILED:
        if side == about and pattern.search(said):
            return slug
    thing = _THING.match(said)
    if not thing:
        return None
    slug = "-".join(word for word in thing[1].lower().split() if word not in _NOT_PART)
    return slug if slug and slug.isascii() and len(slug) <= 60 else None
