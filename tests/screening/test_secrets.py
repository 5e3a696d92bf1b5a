"""Secrets by provider, form, words and entropy, and the texts that only resemble them."""

import random
import string

import pytest

from apps.core.ids import base62, crc_base62
from apps.screening.screen import mask, screen

# Written in two pieces, so that no scanner of repositories takes them for real.
LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"


@pytest.mark.parametrize(
    ("secret", "detector"),
    [
        ("AKIA" + "ABCDEFGHIJKLMNOP", "aws-access-key"),
        ("ASIA" + "ABCDEFGHIJKLMNOP", "aws-access-key"),
        ("ghp_" + LETTERS, "github-token"),
        ("gho_" + LETTERS, "github-token"),
        ("github_pat_" + LETTERS, "github-token"),
        ("glpat-" + LETTERS[:20], "gitlab-token"),
        ("xoxb-" + "123456789012-abcdefghijkl", "slack-token"),
        ("hooks.slack.com/services/" + "T00000000/B00000000/" + LETTERS[:24], "slack-webhook"),
        ("sk_live_" + LETTERS[:24], "stripe-key"),
        ("rk_live_" + LETTERS[:24], "stripe-key"),
        ("AIza" + LETTERS + "abc", "google-key"),
        ("sk-ant-" + "api03-" + LETTERS, "anthropic-key"),
        ("sk-proj-" + LETTERS, "openai-key"),
        ("sk-" + LETTERS, "openai-key"),
        ("hf_" + LETTERS + "ab", "hugging-face-token"),
        ("npm_" + LETTERS + "abcd", "npm-token"),
        ("pypi-" + "AgEIcHlwaS5vcmc" + LETTERS, "pypi-token"),
        ("SG." + LETTERS[:22] + "." + LETTERS + LETTERS[:11], "sendgrid-key"),
        ("SK" + "0123456789abcdef" * 2, "twilio-key"),
    ],
)
def test_provider_prefixes(secret: str, detector: str) -> None:
    for text in (secret, f"Use {secret}, please.", f'{{"value": "{secret}"}}', f"x={secret}\n"):
        found = screen(text).secrets
        assert [(f.detector, text[f.start : f.end]) for f in found] == [(detector, secret)]


def test_our_own_keys_with_their_checksum() -> None:
    body = f"mp_{base62(8)}_{base62(43)}"
    right = f"{body}_{crc_base62(body)}"
    wrong = right[:-1] + ("a" if right[-1] != "a" else "b")
    for key, score in ((right, 1.0), (wrong, 0.8)):
        (found,) = screen(f"key {key}").secrets
        assert (found.detector, found.start, found.end, found.score) == ("memoryplane-key", 4, 4 + len(key), score)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DefaultEndpointsProtocol=https;AccountKey=" + LETTERS * 2 + "==;Suffix=x", LETTERS * 2 + "=="),
        ("https://bob:s3cret-pw@example.org/x", "s3cret-pw"),
        ("mongodb+srv://app:p%40ss/w0rd@cluster.example", "p%40ss/w0rd"),
        ("redis://:hunter2@cache:6379/0", "hunter2"),
        ("Server=db;User Id=sa;Password=Xk29!abc;Encrypt=true", "Xk29!abc"),
        ("Authorization: Bearer abc123def456ghi789", "abc123def456ghi789"),
        ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Ym9iOmh1bnRlcjI="),
        ("DB_PASSWORD=hunter2", "hunter2"),
        ('{"password": "hunter2", "user": "bob"}', "hunter2"),
        ('"{\\"password\\": \\"hunter2\\"}"', "hunter2"),
        ("dbPassword: 'correct horse'", "correct horse"),
        ("api_key = a1b2c3d4e5f6", "a1b2c3d4e5f6"),
        ("The API token for staging is 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"),
        ("client_secret: 550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
        ("my PIN is 4821", "4821"),
        ("the door code is 44712", "44712"),
    ],
)
def test_values_that_the_form_or_the_words_tell(text: str, value: str) -> None:
    assert [text[f.start : f.end] for f in screen(text).secrets] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My password is correct horse battery.", "correct horse battery"),
        ("my password is correct horse battery and I like tea", "correct horse battery"),
        ("The password for the guest wifi is tulip garden seven", "tulip garden seven"),
        ("My password is swordfish", "swordfish"),
        ("Mein Passwort ist Sommerregen7", "Sommerregen7"),
        ("Passwort: sommer regen", "sommer regen"),
        ("A minha senha é abacate7", "abacate7"),
        ("Mi contraseña es perro gato luna", "perro gato luna"),
        ("la contrasena del wifi es Luna2024", "Luna2024"),
        ("Le mot de passe est soleil42", "soleil42"),
        ("密码是 abc12345", "abc12345"),
        ("كلمة المرور هي abc12345", "abc12345"),
        ("The passphrase is “blue lamp over the sea”", "blue lamp over the sea"),
    ],
)
def test_passwords_in_prose(text: str, value: str) -> None:
    assert [text[f.start : f.end] for f in screen(text).secrets] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "My password is expired.",
        "The password is not working",
        "The password is the same as last year",
        "My password is too short",
        "The password is correct",
        "The password is 8 characters long",
        "The password is stored in the vault",
        "Password: required",
        "password: <your password>",
        "password=${DB_PASSWORD}",
        "password: ********",
        "self.password = make_password(raw_password)",
        "Das Passwort ist falsch",
        "La contraseña es incorrecta",
        "A senha e o usuário mudaram",
        "Le mot de passe est incorrect",
        "Is my password correct?",
        "the key to success is patience",
        "token: refresh-token-rotation",
        "cache key: 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
        "public key 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
        "max_tokens: 4096",
        "postgres://localhost:5432/app?owner=a@b",
        "https://example.org:8080/mail/a@b.example",
        "task-management-for-teams-2024-edition",
        "eyJhbGciOiJIUzI1NiJ9 has one part only",
        "abcdefgh.ijklmnop.qrstuvwx",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    ],
)
def test_what_tells_no_secret(text: str) -> None:
    assert screen(text).secrets == ()


def test_entropy_needs_a_keyword() -> None:
    chance = random.Random(5)
    base64_like = "".join(chance.sample(string.ascii_letters + string.digits, 44))
    hex_like = "".join(chance.choice(string.hexdigits.lower()) for _ in range(40))
    for value in (base64_like, hex_like):
        assert screen(f"value {value}").secrets == ()
        (found,) = screen(f"the secret {value}").secrets
        assert (found.start, found.end) == (11, 11 + len(value))
    assert screen("the secret " + "ab" * 20).secrets == ()


def test_a_private_key_without_its_end_is_masked_to_where_it_stops() -> None:
    header = "-----BEGIN OPENSSH PRIVATE " + "KEY-----"
    for body in ("\nb3BlbnNzaC1rZXk\nAAAA", "\\nb3BlbnNzaC1rZXk\\nAAAA", ""):
        text = f"key: {header}{body}"
        assert mask(text, screen(text).findings) == "key: [masked: private-key]"


def test_two_keys_and_an_end_between_are_two_findings() -> None:
    one = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----"
    text = f"{one}\nand\n{one}"
    assert mask(text, screen(text).findings) == "[masked: private-key]\nand\n[masked: private-key]"


def test_what_was_told_once_is_masked_wherever_it_stands() -> None:
    text = "My password is hunter2-x. So hunter2-x, and no other? Yes: hunter2-x."
    masked = "My password is [masked: password]. So [masked: password], and no other? Yes: [masked: password]."
    assert mask(text, screen(text).findings) == masked


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufeff"])
def test_hidden_characters_and_wide_letters_hide_nothing(hidden: str) -> None:
    secret = f"AKIA{hidden}ABCDEFGH{hidden}IJKLMNOP"
    text = f"é {secret} é"
    assert mask(text, screen(text).findings) == "é [masked: aws-access-key] é"
    wide = "".join(chr(ord(char) + 0xFEE0) for char in "AKIAABCDEFGHIJKLMNOP")
    assert mask(f"a {wide} b", screen(f"a {wide} b").findings) == "a [masked: aws-access-key] b"


def test_a_hidden_character_before_a_prefix_does_not_glue_it_to_a_letter() -> None:
    text = f"a\u200bsk-{LETTERS}"
    assert mask(text, screen(text).findings) == "a\u200b[masked: openai-key]"
