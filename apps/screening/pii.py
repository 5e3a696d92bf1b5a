"""Personal data with a form: payment cards, bank accounts, national ids, ways to reach somebody, dates of birth.

A number counts when its checksum is right. Where a wrong one still passes too often (one in ten or so), a word before
it must say what it is.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from typing import Any, NamedTuple

from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.exceptions import ValidationError
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar
from stdnum.it import codicefiscale
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.pt import cc, nif
from stdnum.us import ssn

from apps.screening.findings import Finding
from apps.screening.patterns import joined
from apps.screening.reading import Reading


class NationalId(NamedTuple):
    detector: str
    pattern: re.Pattern[str]
    checker: Any
    context: re.Pattern[str] | None


def _national(detector: str, pattern: str, checker: Any, context: str = "") -> NationalId:
    words = re.compile(rf"(?<![a-z])(?:{context})(?![a-z])", re.IGNORECASE) if context else None
    return NationalId(detector, re.compile(rf"(?<![\w.-]){pattern}(?![\w-])", re.IGNORECASE), checker, words)


_NEAR = 40
_IDS = (
    _national("es-dni", r"\d{8}[ -]?[A-Z]", dni),
    _national("es-nie", r"[XYZ][ -]?\d{7}[ -]?[A-Z]", nie),
    _national("pt-nif", r"\d{3} ?\d{3} ?\d{3}", nif, "nif|contribuinte|numero fiscal"),
    _national("pt-cc", r"\d{8} ?\d ?[A-Z]{2}\d", cc),
    _national(
        "de-idnr",
        r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
        idnr,
        r"steuer-?id\w*|idnr|identifikationsnummer|tax id\w*|steuernummer",
    ),
    _national("us-ssn", r"\d{3}-\d{2}-\d{4}", ssn),
    _national("us-ssn", r"\d{9}", ssn, "ssn|social security(?: number)?"),
    _national("gb-nhs", r"\d{3} ?\d{3} ?\d{4}", nhs, "nhs(?: number)?"),
    _national("gb-nino", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", None),
    _national("fr-nir", r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", nir),
    _national("it-codice-fiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", codicefiscale),
    _national("br-cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf),
    _national("br-cpf", r"\d{11}", cpf, "cpf"),
    _national("nl-bsn", r"\d{9}", bsn, "bsn|burgerservicenummer|sofinummer"),
    _national("pl-pesel", r"\d{11}", pesel, "pesel"),
    _national("dk-cpr", r"\d{6}-?\d{4}", cpr, "cpr|personnummer"),
    _national("fi-hetu", r"\d{6}[-+A]\d{3}[0-9A-Y]", hetu),
    _national("ch-ahv", r"756\.\d{4}\.\d{4}\.\d{2}", ahv),
    _national("mx-curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d", curp),
    _national("in-aadhaar", r"\d{4} ?\d{4} ?\d{4}", aadhaar, "aadhaar|aadhar|uidai"),
)
_CARD = re.compile(
    r"(?<![\w.-])(?:\d{13,19}|\d{4}([ .-])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![\w-])(?!\.\d)"
)
# (first digits from, to, possible lengths) by issuer; without them, one number in ten would do.
_ISSUERS = (
    *((4, 4, (13, 16, 19)), (51, 55, (16,)), (2221, 2720, (16,)), (34, 34, (15,)), (37, 37, (15,))),
    *((6011, 6011, (16, 19)), (644, 659, (16, 19)), (3528, 3589, (16, 19)), (300, 305, (14,)), (36, 36, (14, 16))),
    *((38, 39, (14, 16)), (62, 62, (16, 17, 18, 19)), (50, 50, (16, 18, 19)), (56, 58, (16, 18, 19))),
)
_OTHER_NUMBER = re.compile(
    joined(r"""
    (?:order|tracking|invoice|parcel|ticket|serial|imei|isbn|part|case|reference|ref|sku|article|bestell\w*|
    sendungs\w*|rechnungs\w*|pedido|factura|encomenda|fatura|commande|facture|version)(?: (?:number|no|nr|numero|
    id))?[\s:.#°]{0,4}\Z
"""),
    re.IGNORECASE,
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", re.IGNORECASE
)
_EMAIL = re.compile(r"(?<![\w.+-])(?P<name>[\w.+-]{1,64})@(?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,24}(?![\w-])")
_ROLE = re.compile(
    joined(r"""
    (?:info|support|help|hello|hi|contact|sales|billing|office|admin|no-?reply|do-?not-?reply|service|team|
    orders?|press|jobs|security|abuse|postmaster|webmaster|audit|accounts?|hr|it|legal|privacy|returns?|shop|
    kontakt|vertrieb|ventas|vendas|ayuda|ajuda|contacto|contato)(?:[.+-].*)?
"""),
    re.IGNORECASE,
)
_INTERNATIONAL = re.compile(r"(?<![\w+])\+\d[\d ().-]{6,18}\d(?!\w)")
_NORTH_AMERICAN = re.compile(r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w-])")
_NATIONAL = re.compile(r"(?<![\w.-])\(?0?\d{2,5}\)?(?:[ /.-]?\d{2,8}){1,5}(?![\w-])")
_PHONE_WORD = re.compile(
    joined(r"""
    (?<![a-z])(?:phone|tel|telephone|cell|mobile|call|whatsapp|fax|text|reach|handy|telefon\w*|mobil\w*|anruf\w*|
    movil|celular|telefono|telemovel|telefone|portable|numero|number)(?![a-z])[^\d\n]{0,25}\Z
"""),
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    joined(r"""
    (?<![\w.-])\d{1,5}[a-zA-Z]? (?:[A-Z][\w']{1,20} ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|
    Boulevard|Blvd|Way|Court|Ct|Square|Sq|Terrace|Place|Pl|Crescent|Close|Row|Gardens|Highway|Hwy)(?!\w)|
    (?<!\w)[A-Z][\w-]{1,30}(?:strasse|str\.|weg|allee|platz|gasse|ring|damm|ufer|straat|
    laan) \d{1,4} ?[a-z]?(?!\w)|(?<!\w)\d{1,4}(?: bis| ter)?,? (?i:rue|avenue|boulevard|place|chemin|impasse|quai|
    allee|route) (?:\w{1,20}[ '-]){0,4}[A-Z]\w+|(?<!\w)(?i:calle|avenida|av\.|plaza|paseo|rua|travessa|praca|
    alameda|via) (?:\w{1,20} ){1,5}?(?:n[.o°º]{1,2} ?)?\d{1,5}(?!\w)|(?<!\w)(?i:calle|avenida|plaza|paseo|rua|
    travessa|praca|alameda|via) (?:\w{1,20} ){0,5}?\w{1,20}, (?:n[.o°º]{1,2} ?)?\d{1,5}(?!\w)
""")
)
_DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.|º|er)?(?: of| de)? [^\W\d_]{3,10}(?:,?(?: de)? \d{4})?"
    r"|[A-Z][^\W\d_]{2,9} \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|(?:19|20)\d{2})"
)
_BIRTH = re.compile(
    r"(?<![a-z])(?i:born|date of birth|dob|birth ?date|birthday|geboren|geburtsdatum|geburtstag|ne le|nee le"
    r"|date de naissance|anniversaire|nacid[oa]|naci|fecha de nacimiento|cumpleanos"
    r"|nascid[oa]|nasci|data de nascimento|aniversario)(?![a-z])"
    rf"(?:[^\d.!?\n]{{0,20}}?)(?<![\w]){_DATE}(?!\w)"
)


def find(reading: Reading) -> Iterator[Finding]:
    """Payment cards as special (they are held like it), everything else as personal data. What overlaps is reported
    once: as a number with a checksum rather than as a telephone."""
    view = reading.view
    digits = any(char.isdigit() for char in view)
    taken: list[tuple[int, int]] = []
    for detector, start, end, score in [*(_numbers(view) if digits else ()), *_contacts(view, digits)]:
        at = bisect(taken, (start, end))
        if (at and taken[at - 1][1] > start) or (at < len(taken) and taken[at][0] < end):
            continue
        taken.insert(at, (start, end))
        yield Finding("special" if detector == "card" else "pii", detector, *reading.span(start, end), score)


def _numbers(view: str) -> Iterator[tuple[str, int, int, float]]:
    for match in _CARD.finditer(view):
        if _is_card(match[0]) and not _OTHER_NUMBER.search(_before(view, match)):
            yield "card", match.start(), match.end(), 0.95
    for match in _IBAN.finditer(view):
        number = match[0]
        # The pattern may have taken the next word too.
        while number:
            if iban.is_valid(number):
                yield "iban", match.start(), match.start() + len(number), 0.95
                break
            number = number.rpartition(" ")[0]
    for form in _IDS:
        for match in form.pattern.finditer(view):
            before = _before(view, match)
            if _OTHER_NUMBER.search(before) or (form.context and not form.context.search(before)):
                continue
            if _is_valid(form, match[0]):
                yield form.detector, match.start(), match.end(), 0.9


def _contacts(view: str, digits: bool) -> Iterator[tuple[str, int, int, float]]:
    if "@" in view:
        for match in _EMAIL.finditer(view):
            if not _ROLE.fullmatch(match["name"]):
                yield "email", match.start(), match.end(), 0.9
    if not digits:
        return
    for pattern, needs_word in ((_INTERNATIONAL, False), (_NORTH_AMERICAN, False), (_NATIONAL, True)):
        for match in pattern.finditer(view):
            before = _before(view, match)
            count = sum(char.isdigit() for char in match[0])
            if _OTHER_NUMBER.search(before) or not 7 <= count <= 15 or (needs_word and not _PHONE_WORD.search(before)):
                continue
            yield "phone", match.start(), match.end(), 0.7
    for match in _ADDRESS.finditer(view):
        yield "address", match.start(), match.end(), 0.6
    for match in _BIRTH.finditer(view):
        yield "birth-date", match.start(), match.end(), 0.7


def _before(view: str, match: re.Match[str]) -> str:
    return view[max(0, match.start() - _NEAR) : match.start()]


def _is_card(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths for low, high, lengths in _ISSUERS
    ) and luhn.is_valid(digits)


def _is_valid(form: NationalId, number: str) -> bool:
    if form.checker is None:
        # A British insurance number has no checksum, but prefixes that are never given out.
        return number[:2].upper() not in {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}
    try:
        form.checker.validate(number)
    except ValidationError:
        return False
    return True
