"""Passwords that somebody tells in words: "my password is …", "Passwort: …", "la contraseña del wifi es …"."""

import re
from collections.abc import Iterator

from apps.screening.patterns import words
from apps.screening.reading import Reading

# The patterns read a view without accents or capitals. None crosses U+0000, which stands for what is masked already.
_TELLER = (
    r"(?:pass(?:word|wd|wort|phrase|[ -]phrase|code)|(?<![a-z])(?:pwd|kennwort|contrasena|senha|palavra[ -]?passe"
    r"|mot de passe|code secret|clave (?:de acceso|secreta|del? wi-?fi)|wachtwoord|mdp))(?![a-z0-9_-])"
)
_PIN = (
    r"(?<![a-z])(?:pin(?:[ -]?(?:code|number|nummer))?|cvv2?|cvc|otp|(?:security|verification|login|one-time|entry|door"
    r"|alarm) code|codigo de (?:seguridad|seguranca|verificacion)|code (?:pin|de securite))(?![a-z0-9_-])"
)
# One of these is in whatever the two patterns match, and that is far quicker to find out.
_PASSWORD_NEEDLES = (
    *(
        "passw",
        "passp",
        "passc",
        "pass p",
        "pass-p",
        "pwd",
        "kennwort",
        "contrasena",
        "senha",
        "palavra",
        "clave",
        "mdp",
    ),
    *("mot de passe", "code secret", "wachtwoord"),
)
_PIN_NEEDLES = ("pin", "cvv", "cvc", "otp", " code", "codigo", "code de")
# "the password for the guest wifi is", "the API key of staging is"
FILLER = (
    r"(?:[^\S\n]+(?:for|to|of|on|at|in|from|fur|zum|zur|vom|von|de|del|da|do|para|pour|du)(?:[^\S\n]+[\w'.@-]{1,30})"
    r"{1,4}?)?"
)
_VERBS = r"is|was|are|lautet|ist|war|es|era|est|e|seria|esta"
LINK = (
    rf"(?:[\\\"'`\])]{{0,3}}[^\S\n]*+(?P<sign>:=|=>|[:=])|[\"'`]?[^\S\n]++(?P<verb>{_VERBS})\b:?)"
    r"[^\S\n]*+\n?+[^\S\n]*+"
)
_TOLD = re.compile(f"{_TELLER}{FILLER}{LINK}")
_PIN_TOLD = re.compile(rf"{_PIN}{FILLER}{LINK}(?P<value>[0-9]{{3,8}})(?![0-9a-z])")
_OTHER_SCRIPTS = re.compile(
    r"(?:密码|密碼|口令|暗証番号|パスワード|كلمه (?:المرور|السر)(?: \w{1,20}){0,2})\s?(?:是|为|為|は|هي|:|=)\s?"
)

_QUOTED = re.compile(r"""\\?(["'`])(?P<value>[^"'`\n\0\\]{1,200})(?:\1|\\)""")
_TOKEN = re.compile(r"""[^\s\0"'`<>\\]{1,200}""")
# Commas and ampersands end a value in settings, query strings and lists.
_CUT = re.compile(r"[,;&].*|[.:!?)\]}]+$|[。，；！？、].*", re.DOTALL)
_WORD = re.compile(r"[^\S\n]*([^\s\0\"'`<>.,;:!?()\[\]{}\\]{1,40})")
_STRONG = re.compile(r"(?=.*[A-Za-z])(?=.*[^A-Za-z'-]).{4,}|(?=.*[\d\W_])[^A-Za-z]{4,}")

_PLACEHOLDER = re.compile(
    r"[*x•.#_-]+|<.*|\$[{(].*|(?-i:\$[A-Z_]{2,})|\{.*|%[({].*"
    r"|(?:your|my|the|some|a|old|new)[-_]?(?:\w*[-_])?(?:pass\w*|pwd|secret|key|token)"
    r"|(?:[a-z]+_)*pass(?:word|wd|wort)?\w?(?:_[a-z]+)*|[a-z_][a-z_.]*\(.*|self\.\S*|pwd"
    r"|secret|string|text|null|none|true|false|undefined|required|optional|redacted|masked"
    r"|hidden|changeme|change[-_]me|example|placeholder|empty|str|os\.\S*|process\.\S*|env\.\S*|settings\.\S*|getenv\S*"
    r"|\[?masked\]?|n/a|\?+",
    re.IGNORECASE,
)
# After these words no password follows, whatever comes then.
_NOT_FIRST = words(
    """
    not never no in on at from the a an as always to too so very than only just still also already required
    expired invalid being set kept stored rotated reset sent given ask asks see contact must should may can
    will would has have had need needs minimum maximum enter type choose change confirm repeat forgot between
    more less longer about case one two both what which where when why how if it that this these those hashed
    encrypted saved under by with within for of and or part known due hard up down out off back there here my
    your our his her their its nicht nie kein falsch abgelaufen weg zu im am bei der die das ein eine noch
    schon immer nur sehr mein dein sein nunca en el la los las un una muy demasiado caducada caducado
    incorrecta siempre tu su mi nao em na os um uma muito sempre errada expirada o pas jamais dans le les une
    trop tres toujours expire incorrect mon ton son plus
    """
)
# A single such word describes the password; in a row of words it may be part of one.
_DESCRIBES = words(
    """
    correct right ok okay fine safe secure secured easy weak strong long short simple same different new old
    unknown secret confidential private mine yours case-sensitive missing broken wrong good bad better
    important mandatory enough visible unique random annoying public available gone ready valid unchanged
    default richtig sicher unsicher neu alt kurz lang einfach geheim bekannt gleich ungultig correcta segura
    nueva larga corta correcto correta nova longa curta fraca forte bon bonne court courte sur faible nouveau
    valide
    """
)
_ENDS = words(
    """
    and but or because so which that when while for please thanks now again anymore yet though since until
    then und aber oder weil bitte danke y pero o porque por gracias e mas ou obrigado et mais car merci
    """
)
# In a description the words hang together by such words; in a passphrase they stand side by side.
_DESCRIPTION = words(
    """
    the a an of to in on at as is are was be been it by with from than not my your our too very characters
    chars letters digits zeichen buchstaben ziffern caracteres letras lettres der die das den de la el le les
    que und
    """
)


def told(reading: Reading) -> Iterator[tuple[str, int, int, float]]:
    """(detector, start, end, score) of each password or PIN that is told in the text, with spans in the view."""
    view, lower = reading.view, reading.lower
    if any(map(lower.__contains__, _PASSWORD_NEEDLES)):
        for match in _TOLD.finditer(lower):
            if span := _value(view, match.end(), match["verb"]):
                yield ("password", *span, 0.9 if match["sign"] else 0.8)
    if any(map(lower.__contains__, _PIN_NEEDLES)):
        for match in _PIN_TOLD.finditer(lower):
            yield ("pin", *match.span("value"), 0.8)
    for match in _OTHER_SCRIPTS.finditer(view) if not view.isascii() else ():
        token = _TOKEN.match(view, match.end())
        value = _CUT.sub("", token[0]) if token else ""
        if token and value.isascii() and _STRONG.fullmatch(value) and not _PLACEHOLDER.fullmatch(value):
            yield "password", token.start(), token.start() + len(value), 0.8


def is_placeholder(value: str) -> bool:
    """Whether the value only says that a secret belongs here, or is missing."""
    return not value.strip() or _PLACEHOLDER.fullmatch(value.strip()) is not None


def _value(view: str, start: int, verb: str | None) -> tuple[int, int] | None:
    """The span of the password that begins at `start`, or None when the words there tell none."""
    if quoted := _QUOTED.match(view, start):
        return None if is_placeholder(quoted["value"]) else quoted.span("value")
    # A quote that is never closed: the text was cut off there.
    token = _TOKEN.match(view, start + (view[start : start + 1] in ("'", '"', "`")))
    if token is None:
        return None
    value = _CUT.sub("", token[0])
    if not value or is_placeholder(value) or value.lower() in _NOT_FIRST:
        return None
    if _STRONG.fullmatch(value):
        return token.start(), token.start() + len(value)
    if verb == "e":
        # Without its accent it may also mean "and".
        return None
    return _passphrase(view, token.start())


def _passphrase(view: str, start: int) -> tuple[int, int] | None:
    words: list[str] = []
    position = end = start
    while len(words) < 12 and (match := _WORD.match(view, position)) and match[1].lower() not in _ENDS:
        words.append(match[1].lower())
        position = end = match.end()
    if not words or words[0].endswith(("ed", "ing", "ly", "iert")) or (len(words) == 1 and words[0] in _DESCRIBES):
        return None
    if words[0].isdigit() or len("".join(words)) < 4 or not _DESCRIPTION.isdisjoint(words):
        return None
    return start, end
