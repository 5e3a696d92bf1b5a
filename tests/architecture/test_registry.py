"""No stored text, JSON, vector or bytes without a line that says how it goes."""

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField, SparseVectorField, VectorField

from apps.privacy.registry import REGISTRY, THIRD_PARTY, Erase, Keep
from apps.privacy.stores import ELSEWHERE, STORES

HOLDS_CONTENT = (
    models.CharField,
    models.TextField,
    models.JSONField,
    models.BinaryField,
    models.FileField,
    models.GeneratedField,
    ArrayField,
    SearchVectorField,
    VectorField,
    HalfVectorField,
    SparseVectorField,
)


def test_every_column_that_can_hold_content_is_registered_and_nothing_else() -> None:
    stored = {
        model._meta.label: {f.name for f in model._meta.concrete_fields if isinstance(f, HOLDS_CONTENT)}
        for model in apps.get_models()
        if model.__module__.startswith("apps.")
    }
    assert {label: set(lines) for label, lines in REGISTRY.items()} == {k: v for k, v in stored.items() if v}


def test_every_line_gives_its_reason() -> None:
    for label, lines in REGISTRY.items():
        for column, line in lines.items():
            text = line.how if isinstance(line, Erase) else line.why
            assert isinstance(line, Erase | Keep) and len(text) > 10, f"{label}.{column}"


def test_what_goes_belongs_to_a_store_or_goes_by_a_rule_of_its_own() -> None:
    goes = {label for label, lines in REGISTRY.items() if any(isinstance(line, Erase) for line in lines.values())}
    covered = [label for store in STORES for label in store.covers]
    assert len(covered) == len(set(covered))
    assert set(covered) | set(ELSEWHERE) == goes
    assert not set(covered) & set(ELSEWHERE)


def test_third_party_tables_are_waived_by_name() -> None:
    others = {model._meta.app_label for model in apps.get_models() if not model.__module__.startswith("apps.")}
    assert others == set(THIRD_PARTY)
