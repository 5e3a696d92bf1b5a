"""Numbers with checksums, contacts, and special categories."""

import pytest

from apps.screening.screen import screen


def labels(text: str) -> list[tuple[str, str]]:
    return [(f.detector, text[f.start : f.end]) for f in screen(text).findings if f.kind in ("pii", "special")]


@pytest.mark.parametrize(
    ("text", "detector", "value"),
    [
        ("Visa 4111-1111-1111-1111 exp 12/27", "card", "4111-1111-1111-1111"),
        ("pays with 5555555555554444.", "card", "5555555555554444"),
        ("Amex 3782 822463 10005", "card", "3782 822463 10005"),
        ("IBAN: de89370400440532013000", "iban", "de89370400440532013000"),
        ("GB82 WEST 1234 5698 7654 32 is mine", "iban", "GB82 WEST 1234 5698 7654 32"),
        ("DNI 12345678Z", "es-dni", "12345678Z"),
        ("NIE X1234567L", "es-nie", "X1234567L"),
        ("NIF 123456789", "pt-nif", "123456789"),
        ("Steuer-ID 36 574 261 809", "de-idnr", "36 574 261 809"),
        ("SSN 536-90-4399", "us-ssn", "536-90-4399"),
        ("NI number AB 12 34 56 C", "gb-nino", "AB 12 34 56 C"),
        ("NHS number 943 476 5919", "gb-nhs", "943 476 5919"),
        ("NIR 2 95 10 99 126 111 93", "fr-nir", "2 95 10 99 126 111 93"),
        ("CF RCCMNL83S18D969H", "it-codice-fiscale", "RCCMNL83S18D969H"),
        ("CPF 390.533.447-05", "br-cpf", "390.533.447-05"),
        ("cpf 39053344705", "br-cpf", "39053344705"),
        ("BSN 111222333", "nl-bsn", "111222333"),
        ("PESEL 44051401359", "pl-pesel", "44051401359"),
        ("AHV 756.9217.0769.85", "ch-ahv", "756.9217.0769.85"),
        ("Aadhaar 2341 2341 2346", "in-aadhaar", "2341 2341 2346"),
        ("write to jane.doe@mail.example", "email", "jane.doe@mail.example"),
        ("call +44 20 7946 0958 after six", "phone", "+44 20 7946 0958"),
        ("(212) 555-0142", "phone", "(212) 555-0142"),
        ("my number is 912 345 678", "phone", "912 345 678"),
        ("lives at 12 Baker Street", "address", "12 Baker Street"),
        ("wohnt in der Lindenallee 7b", "address", "Lindenallee 7b"),
        ("habite 12 rue de la Paix", "address", "12 rue de la Paix"),
        ("vive en Calle de Alcalá 45", "address", "Calle de Alcalá 45"),
        ("mora na Rua das Flores, 210", "address", "Rua das Flores, 210"),
        ("born on 4 May 1990", "birth-date", "born on 4 May 1990"),
        ("geboren am 04.05.1990", "birth-date", "geboren am 04.05.1990"),
        ("née le 4 mai 1990", "birth-date", "née le 4 mai 1990"),
    ],
)
def test_personal_data_is_found(text: str, detector: str, value: str) -> None:
    assert labels(text) == [(detector, value)]
    assert screen(text).sensitivity == ("special" if detector == "card" else "personal")


@pytest.mark.parametrize(
    "text",
    [
        "4111-1111-1111-1112",
        "1234 5678 9012 3452",
        "IMEI 352099001761481",
        "order number 4111111111111111",
        "DE88370400440532013000",
        "12345678A",
        "123456789",
        "36 574 261 809",
        "536-90-439",
        "000-12-3456",
        "390.533.447-06",
        "39053344705",
        "2341 2341 2346",
        "write to support@shop.example",
        "order 212-555-0142",
        "opens at 10:30, closes at 18:45",
        "version 12.34.56.78",
        "born to run",
        "the 12 Baker twins",
    ],
)
def test_what_only_looks_like_personal_data_passes(text: str) -> None:
    assert labels(text) == []


SPECIAL = {
    "health": (
        "I was diagnosed with type 2 diabetes.",
        "She suffers from migraines.",
        "He takes insulin every morning.",
        "My wife is pregnant.",
        "Uses a wheelchair.",
        "Ich habe eine Nussallergie.",
        "Er ist allergisch gegen Pollen.",
        "Je suis enceinte.",
        "Elle est allergique aux noix.",
        "Soy celíaca.",
        "Sou diabético.",
        "Tiene epilepsia.",
    ),
    "religion": (
        "He is a practising Catholic.",
        "I am Muslim.",
        "We go to church on Sundays.",
        "Keeps kosher.",
        "Ich bin evangelisch.",
        "Je suis musulmane.",
        "Soy judío.",
        "Sou católica.",
    ),
    "union": (
        "She is a union rep at the plant.",
        "Member of the teachers' union.",
        "Er ist Gewerkschaftsmitglied.",
        "Déléguée syndicale chez nous.",
        "Afiliado al sindicato.",
        "Filiada ao sindicato.",
    ),
    "orientation": (
        "He is gay.",
        "I came out as bisexual.",
        "She is a trans woman.",
        "Ich bin lesbisch.",
        "Il est gay.",
        "Soy lesbiana.",
        "Sou bissexual, ele é gay.",
    ),
    "politics": (
        "I voted for Labour.",
        "She is a member of the Green Party.",
        "He is a socialist.",
        "Ich wähle die Grünen.",
        "Il milite au parti socialiste.",
        "Vota al PSOE.",
    ),
    "ethnicity": ("She is Black.", "He is of Kurdish descent.", "Her ethnicity is on file."),
    "biometrics": ("We stored his fingerprint.", "Her DNA test came back.", "Ihr Fingerabdruck ist gespeichert."),
    "children": (
        "My son turned 7 last week.",
        "Has a 4-year-old daughter.",
        "Our boy Tim is 12.",
        "Meine Tochter ist 9.",
        "Ma fille a 6 ans.",
        "Mi hijo tiene 5 años.",
        "Minha filha tem 3 anos.",
    ),
}


@pytest.mark.parametrize(("category", "text"), [(name, text) for name, texts in SPECIAL.items() for text in texts])
def test_special_categories_are_found(category: str, text: str) -> None:
    found = screen(text)
    assert category in {f.detector for f in found.findings if f.kind == "special"}
    assert found.sensitivity == "special"
    assert found.flags == {"personal"}


@pytest.mark.parametrize(
    "text",
    [
        "My son is 24.",
        "My daughter is late by 9 minutes.",
        "The kids are in the garden.",
        "The union flag is red.",
        "He is a conservative driver by habit",
        "The party is at nine.",
        "The black car is hers.",
        "The church clock is slow.",
        "A race along the river.",
        "Works for a cancer charity.",
        "The trans-Siberian railway is long.",
        "The straight line is shorter.",
    ],
)
def test_what_says_nothing_special_passes(text: str) -> None:
    assert [label for label in labels(text) if label[0] in SPECIAL] == []
