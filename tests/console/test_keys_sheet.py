"""The sheet of keys is true: what it lists is on a page or in the script, and what a page has it lists."""

import re
from pathlib import Path

from apps.console.context import NAVIGATION
from apps.console.keys_sheet import SHEET

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = {path: path.read_text() for path in (ROOT / "templates").rglob("*.html")}
SCRIPT = (ROOT / "static/console.js").read_text()
# Keys with a modifier, and those that close; the script hears them by their names.
NAMED = {"Ctrl K": "'k'", "Esc": "'Escape'", "↓": "'ArrowDown'", "Ctrl ↵": "'Enter'"}
DESTROYS = r"forget|erase|revoke|roll|remove|delete|danger"


def on_pages() -> set[str]:
    return {key for text in TEMPLATES.values() for key in re.findall(r'(?:data-)?hotkey="([^"{ ]+)"', text)}


def in_script() -> set[str]:
    plain = SCRIPT.split("const plain = {")[1].split("\n  };")[0]
    return {key for key in re.findall(r"^\s+'?([^\s':]+)'?: \(", plain, re.MULTILINE)}


def listed() -> set[str]:
    found = set()
    for _, rows in SHEET:
        for keys, words in rows:
            assert words
            for key in keys:
                one, _, last = key.partition("–")
                found |= {str(n) for n in range(int(one), int(last) + 1)} if last else {key}
    return found


def test_what_the_sheet_lists_is_there_and_all_that_is_there_is_listed() -> None:
    numbers = {str(number) for number in range(10)}
    assert (on_pages() | in_script()) - numbers == listed() - numbers - set(NAMED)
    for key, heard in NAMED.items():
        assert key in listed() and heard in SCRIPT, key


def test_numbers_choose_in_a_menu_that_a_key_opened() -> None:
    for path, text in TEMPLATES.items():
        for found in re.finditer(r'data-hotkey="(\d|\{\{ forloop\.counter \}\})"', text):
            assert re.search(r'<summary|name="(reason|snooze|assignee|choice|settle|outcome)"', text), (path, found[0])


def test_g_and_a_letter_lead_to_pages_each_its_own() -> None:
    keys = [key for _, items in NAVIGATION for _, _, _, key, _ in items if key]
    assert len(keys) == len(set(keys)) and all(re.fullmatch(r"g [a-z]", key) for key in keys)


def test_no_single_key_destroys() -> None:
    for path, text in TEMPLATES.items():
        for tag in re.findall(r"<(?:a|button)\b[^>]*data-hotkey[^>]*>", text):
            assert not re.search(DESTROYS, tag), (path, tag)
