"""What must never become a candidate, whatever else a message says: secrets and orders to the assistant."""

import re
import unicodedata

from apps.extraction.languages import joined

_TAG_BASE = 0xE0000  # invisible tag characters mirror ASCII; a hidden order is written in them
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0001-\U000e007f]")
# "The password is never shared" tells a rule; "the password is hunter2" tells a password.
_NO_VALUE = joined(r"""
    (?:not|never|no|wrong|too|in|on|at|from|the|an?|always|changed|kept|stored|rotated|reset|required|expired|invalid|
    managed|being|only|set|ask\w*|falsch|abgelaufen|weg|nicht|incorrect[ao]|caducad[ao]|errad[ao]|expirad[ao]|
    incorrecte?|expirée?)\b
""")
_SECRETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"-----BEGIN [A-Z ]{0,40}KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}KEY-----|\Z)",
        r"(?-i:\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)",
        r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpsr]-[\w-]{8,}|AIza[\w-]{30,})",
        r"\b(?:npm_\w{30,}|mp_\w{8}_\w{20,})",
        r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{16,}",
        r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:[^\s@/]{1,200}@\S+",
        r"\b(?:bearer|basic)\s+(?=\S{0,80}\d)[A-Za-z0-9+/=._-]{16,}",
        r"\b(?:pass(?:word|wort|phrase|code)|passwd|pwd|kennwort|contraseña|palavra-passe|senha|mot de passe"
        r"|pin(?: code)?|cvv|cvc|login code)\b(?:[^\S\n]+[\w'-]{1,20}){0,4}?"
        + rf"(?:\s+(?:is|are|was|lautet|ist|es|é|est)|\s*[:=])\s*(?!{_NO_VALUE})\S+",
        r"\b(?:(?:api|access|secret|private|auth|encryption|deploy)[ _-]?(?:key|token)|token|secret)\b"
        r"(?:[^\S\n]+[\w'-]{1,20}){0,4}?(?:\s+(?:is|ist|es|é|est)|\s*[:=])\s*(?=\S{0,80}\d)\S{8,}",
        r"\b(?:alarm|door|gate|entry|access|safe|unlock|lock|voicemail|garage|security|verification|one-time|sms|backup"
        r"|sim)(?: code| combination| pin| phrase)(?:[^\S\n]+[\w'-]{1,20}){0,3}?"
        r"(?:\s+(?:is|are|was|lautet|ist)|\s*[:=])\s*" + rf"(?!{_NO_VALUE})\S{{0,80}}\d",
        r"\b(?:key|combination|code)\b[^.!?\n]{0,30}\b(?:is|under|:)\s+\d[\d-]{4,}",
        r"\bkey\s+(?:is|:)\s+(?=\S{0,80}-\S{0,80}-)\S{8,}",
        r"\b(?!(?:post|zip|country|area|dress|product|sort|discount|promo|voucher|error|status|exit|source|qr|tax)\b)"
        r"[a-z]{2,15} code\s+is\s+\d{4,8}\b",
        r"\blogin\b[^.!?\n]{0,40}\s(?=\S{0,40}\d)(?=\S{0,40}[!#$%&*+=?@^~])\S{6,}",
        r"\b(?:opens?|unlocks?) with (?=[\d-]{4,})\S+",
        r"\b(?:recovery|seed|backup) (?:phrase|words)\b\s*(?:is|are|:)\s*\S+",
        r"\b(?:security question|wi-?fi|wlan|network)\b[^.!?\n]{0,40}\b(?:key|answer|password|code)?\s?"
        r"(?:is|are|ist|lautet|:)\s+(?=\S{0,80}[-\d])\S{6,}",
        r"\b(?:my|the|card|our) (?:card )?pin\b[,:]?\s+(?:is\s+)?\d{4,8}\b",
        r"\b\w{0,30}(?:SECRET|TOKEN|PASSWORD|API_?KEY)\w{0,20}\s?=\s?\S{6,}",
    )
)
_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")

_ORDERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        joined(r"""
            \b(?:ignore|disregard|forget|override|bypass|skip)\b[^.!?]{0,30}\b(?:previous|prior|above|earlier|
            all|your|these|system|the)\b[^.!?]{0,20}\b(?:instructions?|prompts?|rules|guardrails|guidelines|
            training|directions|policies)\b
        """),
        r"\bi ?g ?n ?o ?r ?e ?p ?r ?e ?v ?i ?o ?u ?s\b",
        joined(r"""
            \b(?:forward|send|bcc|cc|copy|mail|e-?mail|post|upload|leak|exfiltrate)\b[^.!?]{0,60}\b(?:each|
            every|all|any|future|repl(?:y|ies)|answers?|conversations?|transcripts?|data|records?|secrets?|
            keys?)\b[^!?\n]{0,60}(?:\S+@\S+\.\w+|https?://|webhook)
        """),
        joined(r"""
            \b(?:reveal|print|show|repeat|output|leak|tell me)\b[^.!?]{0,30}\b(?:system prompt|admin notes?|
            hidden (?:prompt|instructions?)|your (?:instructions|prompt|rules))
        """),
        r"(?:^|[.!?\n])\s{0,20}(?:system|assistant|developer)\s{0,20}:\s{0,20}\S",
        r"\bnote (?:for|to) (?:the )?(?:assistant|ai|bot|agent|model)\b",
        r"<\|im_(?:start|end)\|>|\[/?INST\]|</?(?:system|memory|instructions?|facts?)>|\bBEGIN SYSTEM\b",
        joined(r"""
            \byou are now (?:a|an|in|the|free|no longer|my)\b|\b(?:jailbreak|developer mode|DAN mode|
            do anything now)\b
        """),
        joined(r"""
            \b(?:pretend|act) (?:to be|as if|as though|that you|like you)\b[^.!?]{0,40}\b(?:admin|root|
            no (?:rules|limits|restrictions)|unrestricted|developer)\b
        """),
        joined(r"""
            \b(?:if|when|whenever) (?:any(?:one|body)|some(?:one|body)|a user|users|they|
            people)\b[^.!?]{0,60}\b(?:asks?|mentions?|says?|writes?)\b[^.!?]{0,60}\b(?:answer|say|tell|reply|
            respond|claim|give)\b
        """),
        r"!\[[^\]]{0,200}\]\(https?://[^)]{0,400}(?:\{\{|\?\w+=)",
        r"\bstore (?:this|the following) (?:permanently|as (?:a )?(?:fact|memory|rule))\b",
        joined(r"""
            \b(?:ignorier\w*|vergiss|vergessen sie|missachte)\b[^.!?]{0,30}\b(?:anweisung|instruktion|regel|
            vorgabe)
        """),
        joined(r"""
            \b(?:ab (?:jetzt|sofort)|künftig)\b[^.!?]{0,40}\b(?:leite|leiten|schick\w*|
            sende\w*)\b[^!?]{0,60}\S+@\S+
        """),
        joined(r"""
            \b(?:ignor[ae]\w*|olvid[ae]\w*|esque[çc]\w*|desconsider\w*|
            oublie[zr]?)\b[^.!?]{0,30}\b(?:instru[cç]|instruç|consigne|reglas|regras|règles)
        """),
        joined(r"""
            \b(?:reenv[íi][ae]\w*|encaminh\w*|transf[eé]r\w*|transmet\w*)\b[^.!?]{0,50}\b(?:todas?|todos|cada|
            toutes|tous|chaque)\b[^!?]{0,60}\S+@\S+
        """),
        r"(?:忽略|无视|無視)[^。！？]{0,12}(?:指令|指示|提示|规则)|(?:以前|これまで|上記)の(?:指示|命令|ルール)を?(?:無視|忘れ)",
        r"تجاهل[^.!؟]{0,30}(?:التعليمات|الأوامر)",
    )
)


def unhide(text: str) -> str:
    """The text as a model would read it: look-alikes folded, invisible characters gone, tag characters spelt out."""
    spelt = "".join(chr(ord(c) - _TAG_BASE) if 0xE0020 <= ord(c) <= 0xE007E else c for c in text)
    return _HIDDEN.sub("", unicodedata.normalize("NFKC", spelt)).replace("’", "'")


def is_order(text: str) -> bool:
    """Whether the message tries to give the assistant standing orders."""
    read = unhide(text)
    return any(pattern.search(read) for pattern in _ORDERS)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in the message: (start, end) pairs, unsorted, possibly overlapping."""
    found = [match.span() for pattern in _SECRETS for match in pattern.finditer(text)]
    found.extend(match.span() for match in _CARD.finditer(text) if _luhn(match.group()))
    return found


def _luhn(number: str) -> bool:
    digits = [int(c) for c in number if c.isdigit()]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1
