"""The import order also holds where import-linter can't see: model relations by name, verbs, settings."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from apps.access.policies import POLICIES
from memoryplane.env import CLIENT, KNOWN

ROOT = Path(__file__).resolve().parents[2]
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
ORDER = {name.strip(): place for place, layer in enumerate(reversed(LAYERS)) for name in layer.split("|")}
ACTIONS = sorted(path for path in (ROOT / "apps").glob("*/actions/*.py") if path.name != "__init__.py")


def test_relations_point_down() -> None:
    checked = 0
    for model in apps.get_models():
        if model.__module__.startswith("apps."):
            for field in model._meta.concrete_fields:
                if field.is_relation and field.related_model.__module__.startswith("apps."):
                    checked += 1
                    assert ORDER[field.related_model._meta.app_label] <= ORDER[model._meta.app_label], field
    assert checked > 50


def test_every_folder_under_apps_is_a_room_with_its_paragraph() -> None:
    folders = {path.name for path in (ROOT / "apps").iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ORDER)
    for name in folders:
        assert len(import_module(f"apps.{name}").__doc__ or "") > 60, name


@pytest.mark.parametrize("path", ACTIONS, ids=lambda path: f"{path.parts[-3]}.{path.stem}")
def test_a_verb_is_one_file_with_one_public_function_of_its_name(path: Path) -> None:
    tree = ast.parse(path.read_text())
    public = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert path.stem in public
    function = getattr(import_module(f"apps.{path.parts[-3]}.actions.{path.stem}"), path.stem)
    parameters = list(inspect.signature(function).parameters.values())
    # Its first argument is the actor, or it has none because the product alone calls it; all are named at the call.
    if parameters and parameters[0].name == "actor":
        assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
        assert re.search(r"\brequire\(|\brecord\(|actor\.kind", path.read_text())


def test_verbs_ask_policies_that_exist() -> None:
    asked = set()
    for path in (ROOT / "apps").rglob("*.py"):
        asked |= set(re.findall(r"(?:require|allowed)\(actor, \"([a-z_.]+)\"", path.read_text()))
    assert asked and asked <= set(POLICIES)


def test_every_setting_stands_in_the_example() -> None:
    lines = (ROOT / "env.production.example").read_text()
    named = set(re.findall(r"^#? ?([A-Z_]+)=", lines, re.MULTILINE))
    assert named >= KNOWN
    assert not CLIENT & named


def test_nothing_catches_an_error_and_goes_on_silently() -> None:
    found = []
    for path in [*(ROOT / "apps").rglob("*.py"), *(ROOT / "memoryplane").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in node.body):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def test_migrations_are_complete() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
