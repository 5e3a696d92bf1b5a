"""Cuts a sentence into clauses that can stand alone: "I moved to Porto, so please change it" holds one fact."""

import re

from apps.extraction.languages import joined
from apps.extraction.sentences import Span

# A new clause begins only where a new speaker's subject, a request or a question begins: "I prefer email, not phone"
# must stay whole, "I prefer email and I live in Porto" must not.
_OPENER = joined(r"""
    (?:I(?:'m|'ve|'d|'ll)?\b|my\b|our\b|we\b|we're\b|(?:please|pls)\b(?=\s+\w)|
    (?:can|could|would|will|do|did|may|should) (?:you|I|we)\b|that's why\b|not sure\b|
    (?:don't )?(?:call|email|text) me\b|ich\b|mein\w*\b|unser\w*\b|wir\b|bitte\b|
    k[oö]nn\w* (?:Sie|du|ihr|ich|wir)\b|mi\b|nuestr[oa]s?\b|por favor\b|puede[ns]?\b|podr[íi]a[ns]?\b|
    prefiero\b|vivo\b|busco\b|quiero\b|necesito\b|(?:o |a )?(?:meu|minha|noss[oa]s?)\b|eu\b|pode(?:m|s|ria)?\b|
    prefiro\b|moro\b|procuro\b|quero\b|preciso\b|mon\b|ma\b|notre\b|je\b|j'|nous\b|s'il vous\b|pouvez\b|
    pourriez\b)
""")
# "… and the cold room key is with security": a new thing, followed soon by its verb.
_OTHER_THING = joined(r"""
    (?:(?:[\w-]+ )?[a-z-]+s (?:go|are|must|have|need|get|come|run|live)\b|(?:the|each|every|all|no|
    both) (?:[\w-]+ ){1,4}(?:is|are|has|have|must|goes?|needs?|can|gets?|lives?|runs?)\b)
""")
_JOINT = re.compile(
    # From the first of its blanks only: tried at each, a long run of them would cost its square.
    joined(rf"""
        (?<!\s)(?:
        \s*[,;:—–]\s*(?:(?:and|but|so|und|aber|also|y|pero|e|mas|et|mais|então)\s+)?(?={_OPENER})|
        \s+-\s+(?={_OPENER})|
        \s+(?:and|but|so|und|aber|y|pero|e|mas|et|mais)\s+(?={_OPENER})|
        \s*(?:[,;]\s*and|;)\s+(?={_OTHER_THING})|
        \s*;\s+(?!(?:they|it|that|this|he|she|these|those|both|and|but|so|otherwise|then|because|not|only|if)\b)|
        \s*,\s*(?:so|así que|por isso|portanto|donc|deshalb|daher)\s+(?!that\b)|
        (?P<comment>\s*,\s*(?=(?:it|that|this)(?:'s| is| was| gives| makes)\b|(?:and )?the others\b))
        )
    """),
    re.IGNORECASE,
)
_ASKING = re.compile(
    joined(r"""
        \s*[,;—–]\s*(?:(?:and|but|so|und|also|y|e|et)\s+)?(?=(?:is|are|am|do|does|did|can|could|would|will|should|
        may|any|what|when|where|which|who|how|why|ist|sind|kann|gibt|welche\w*|was|wann|wo|wie|geht|hay|qué|cuándo|
        cuál|dónde|cómo|tem|têm|qual|quando|quanto|onde|como|dá|posso|chega|demora|serve|fica|existe|podem|vendem|
        aceitam|fazem|llegas?|tarda|vale|cabe|queda|sirve|se puede|puedo|hacen|tenéis|tienen|lo tienen|lo tenéis|
        kostet|gilt|passt|habt|haben sie|livrez|faites|est-il|est-elle|est-ce|c'est|avez|quel\w*|y a-t-il|¿)\b)|
        \s*,\s*(?=¿)
    """),
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    joined(r"""
        (?:if|when|whenever|although|though|while|unless|once|wenn|weil|falls|da|obwohl|si|cuando|como|
        porque|se|quando|comme|lorsque|quand)\b
    """),
    re.IGNORECASE,
)
# "From now on, I …", "In March, our …": the time belongs to what follows it.
_LEADING = re.compile(
    joined(r"""
        (?:from now on|as of|since|starting|effective|in|on|at|after|before|until|during|from|for|to|as|because|
        going forward|by default|these days|next|last|currently|personally|normally|usually|generally|ab|seit|im|am|
        künftig|desde|a partir|de ahora|em|en|depuis|à partir|désormais|dorénavant|when(?:ever)?)\b
    """),
    re.IGNORECASE,
)
# An order and its reason are one: "never ring before ten, I work nights".
_ORDER = re.compile(
    r"(?:please |bitte |por favor )?(?:always|never|don't|do not|stop|no|nie|immer|nunca|siempre|sempre|não me|no me|"
    r"ne m)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?:I|I'm|I've|my|ich|mein\w*|yo|mi|eu|je|j'|mon|ma|trabajo|trabalho)\b", re.IGNORECASE)
# "I'm vegan, so the soup won't do" states one thing; "I got married, so my name is Moura now" states two.
_SO = re.compile(
    r"[\s,;:—–-]*(?:(?:and )?so|así que|por isso|portanto|donc|deshalb|daher) "
    r"(?!I(?:'m|'ve)?\b(?! can| could| need| want)|my\b)",
    re.IGNORECASE,
)
CONSEQUENCE = "consequence"


def clauses(view: str, span: Span) -> list[Span]:
    """Parts of one sentence that can stand alone, in order. A sentence that opens with a condition stays whole.

    A part that only draws the conclusion from the one before it has the reason ``CONSEQUENCE``.
    """
    if _DEPENDENT.match(view, span.start, span.end):
        return [span]
    # After "I …" such a remark is about the moment; after "Our returns are free, that is …" it may be a condition.
    personal = view[span.start : span.start + 2].lower() in {"i ", "i'"}
    order = _ORDER.match(view, span.start, span.end) is not None
    cuts = [
        (joint.start(), joint.end())
        for joint in _JOINT.finditer(view, span.start, span.end)
        if (personal or not joint["comment"])
        and not (order and joint.group().strip() == "," and _REASON.match(view, joint.end()))
    ]
    if view[span.start : span.end].rstrip().endswith(("?", "؟", "？")):
        asking = [(ask.start(), ask.end()) for ask in _ASKING.finditer(view, span.start, span.end)]
        cuts = sorted({*cuts, *asking[-1:]})
    parts: list[Span] = []
    begin, reason = span.start, None
    for cut_start, cut_end in cuts:
        lead = _LEADING.match(view, begin, cut_start) and len(view[begin:cut_start].split()) <= 4
        if cut_start > begin and not lead:
            parts.append(Span(begin, cut_start, reason))
            begin = cut_end
            reason = CONSEQUENCE if _SO.match(view, cut_start) else None
    parts.append(Span(begin, span.end, reason))
    return [part for part in parts if part.start < part.end]
