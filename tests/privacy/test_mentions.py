"""Whether a text names somebody, in whatever writing."""

import base64
import json
import unicodedata
from urllib.parse import quote

import pytest

from apps.privacy.mentions import Identifier, Names, needles_of

ADA, ZOE = Identifier("user_id", "ada.lovelace"), Identifier("user_id", "zoé.müller@example.org")
GROSS = Identifier("name", "Ulrike Großmann")
ANNA = Identifier("alias", "Анна Петрова")
ARAB = Identifier("name", "ليلى حداد")


def nested(value: str, times: int) -> str:
    for _ in range(times):
        value = json.dumps({"user": value})
    return value


@pytest.mark.parametrize(
    ("who", "text"),
    [
        (ADA, "ask ada.lovelace."),
        (ADA, '{"said": "Hello\\nada.lovelace\\there"}'),
        (ADA, nested("to\nada.lovelace", 3)),
        (ADA, "ada\u200b.love\u00adlace wrote"),
        (ADA, "\u202eada.lovelace\u202c"),
        (ADA, "\uff41\uff44\uff41.lovelace"),
        (ADA, "token " + base64.b64encode(b"user=ada.lovelace;plan=2").decode()),
        (ADA, "a" + base64.b64encode(b"=ada.lovelace;plan=2").decode()[1:] + " x " + base64.b64encode(b"ada.lovelace").decode()),
        (ZOE, unicodedata.normalize("NFD", "to zoé.müller@example.org now")),
        (ZOE, "TO ZOÉ.MÜLLER@EXAMPLE.ORG NOW"),
        (ZOE, f"https://example.org/?to={quote('zoé.müller@example.org')}&x=1"),
        (ZOE, nested("zoé.müller@example.org", 3)),
        (ZOE, "zo&eacute;.m&uuml;ller&#64;example.org"),
        (GROSS, "Frau ULRIKE  GROSSMANN"),
        (GROSS, "ulrike\u00a0großmann rief an"),
        (ANNA, "позвони АННА ПЕТРОВА"),
        (ANNA, nested("анна петрова", 2)),
        (ARAB, "قالت ليلى\u200f حداد شيئا"),
    ],
)  # fmt: skip
def test_a_name_is_found_in_every_writing(who: Identifier, text: str) -> None:
    assert Names([who]).within(text)
    assert needles_of([who])


@pytest.mark.parametrize(
    ("who", "text"),
    [
        (ADA, "ada.lovelace-smith"),
        (ADA, "x.ada.lovelace"),
        (ADA, "ada.lovelaces"),
        (ADA, "Ada.Lovelace"),
        (ADA, "C:\\newada.lovelace2"),
        (GROSS, "Ulrike Großmanns"),
        (ZOE, "zoé.müller@example.organic"),
        (Identifier("user_id", "4711"), "4711"),
    ],
)
def test_what_is_another_word_is_not(who: Identifier, text: str) -> None:
    assert not Names([who]).within(text)


def test_ids_are_literal_and_addresses_the_same_in_any_case() -> None:
    names = Names([ADA, ZOE, GROSS])
    assert names.are("ada.lovelace") and names.are("Zoé.Müller@Example.org")
    assert not names.are("Ada.Lovelace") and not names.are("ada.lovelace 2") and not names.are("ULRIKE GROßMANN")
