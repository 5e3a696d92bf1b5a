"""Static files and templates: nothing inline, nothing missing, vendored files as published, colours readable."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
CSS = (ROOT / "static/console.css").read_text()


def test_vendored_files_are_what_their_list_says() -> None:
    for folder, names in (("static/vendor", 3), ("tests/vendor", 1)):
        readme = (ROOT / folder / "README.md").read_text()
        listed = re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", readme, re.MULTILINE)
        assert len(listed) == names
        for name, digest in listed:
            assert hashlib.sha256((ROOT / folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_templates_hold_nothing_that_the_policy_forbids(path: Path) -> None:
    text = path.read_text()
    assert (
        re.findall(r"\sstyle=|\son[a-z]+=|hx-on|<style|javascript:|hx-vals=.js:|\|\s*safe\b|autoescape off", text) == []
    )
    assert [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag] == []


def test_every_icon_that_is_named_exists() -> None:
    sprite = set(re.findall(r'<symbol id="([^"]+)"', (ROOT / "static/icons.svg").read_text()))
    named = {name for path in TEMPLATES for name in re.findall(r'{% icon "([^"]+)"', path.read_text())}
    assert named <= sprite


def test_style_and_script_are_small() -> None:
    sent = {
        name: len(gzip.compress((ROOT / f"static/{name}").read_bytes(), 9)) for name in ("console.css", "console.js")
    }
    assert sent["console.css"] <= 16 * 1024 and sent["console.js"] <= 8 * 1024, sent


def test_the_script_evaluates_nothing() -> None:
    script = (ROOT / "static/console.js").read_text()
    assert re.findall(r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write", script) == []


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read(scheme: int) -> None:
    tokens = {
        name: (light, dark)[scheme]
        for name, light, dark in re.findall(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)", CSS)
    }
    grounds = ["bg", "surface", "hover", "selected"]
    text = [(ink, on) for ink in ("ink", "ink-2", "ink-3", "accent", "bad") for on in [*grounds, "accent-soft"]]
    text += [
        ("ink", "warn-soft"),
        ("ink", "bad-soft"),
        ("ink", "ok-soft"),
        ("accent-ink", "accent"),
        ("ink-3", "sunken"),
    ]
    text += [(name, f"{name}-soft") for name in ("warn", "bad", "ok", "violet")]
    assert [pair for pair in text if contrast(tokens[pair[0]], tokens[pair[1]]) < 4.5] == []
    # Borders of fields, bars and the focus ring are shapes: 3:1 is enough.
    shapes = [(name, on) for name in ("line-strong", "accent") for on in ("bg", "surface")]
    assert [pair for pair in shapes if contrast(tokens[pair[0]], tokens[pair[1]]) < 3] == []
