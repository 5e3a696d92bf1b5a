"""The page of the rules: a dry run changes nothing, and what is due is shown before a rule is saved."""

from datetime import timedelta

import pytest
from django.urls import reverse

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.actions.purge_old import purge_old
from apps.privacy.models import RetentionRule
from apps.tenancy.models import Project
from tests.console.stage import login
from tests.factories import make_fact, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    for number in range(3):
        make_fact(project, f"Fact {number}.", category="zones, rules & 100 %")
    with bind(project.id):
        Fact.objects.exclude(content="Fact 2.").update(last_seen_at=now() - timedelta(days=40))
    return project


def test_a_rule_is_shown_with_what_it_does_before_it_is_saved_and_can_be_dropped(project: Project) -> None:
    admin, page = login(project, "admin"), reverse("settings-retention", args=["acme"])
    change = reverse("retention-change", args=["acme"])
    empty = admin.get(page).content.decode()
    assert empty.count("for ever") == 8 and "Dry run" not in empty
    wanted = {"store": "facts", "category": "zones, rules & 100 %", "keep_days": "30", "purge_days": "0"}
    asked = admin.post(change, wanted)
    assert asked.status_code == 200 and "2 facts no longer told" in asked.content.decode()
    with bind(project.id):
        assert not RetentionRule.objects.exists()
    assert admin.post(change, wanted | {"sure": "1"}).status_code == 302
    with bind(project.id):
        rule = RetentionRule.objects.get()
    shown = admin.get(page).content.decode()
    assert "Category zones, rules &amp; 100 %" in shown and "deleted at the next purge" in shown
    dry = login(project, "auditor").post(page)
    assert dry.status_code == 200 and "2 facts no longer told" in dry.content.decode()
    with bind(project.id):
        assert Fact.objects.in_project(project.id).active().count() == 3
        assert not AuditEvent.objects.filter(verb="retention.purge").exists()
    # What a rule is about stays what it is.
    edit = f"{change}?rule={rule.id}"
    assert admin.post(edit, wanted | {"category": "other", "keep_days": "60", "sure": "1"}).status_code == 302
    with bind(project.id):
        changed = RetentionRule.objects.get()
    assert (changed.id, changed.category, changed.keep_days) == (rule.id, "zones, rules & 100 %", 60)
    purge_old()
    with bind(project.id):
        assert Fact.objects.count() == 3
    assert admin.post(edit, {"do": "drop"}).status_code == 302
    with bind(project.id):
        assert not RetentionRule.objects.exists()
    told = admin.get(page).content.decode()
    assert "dropped the rule for facts (of one category)" in told and "zones" not in told


def test_what_can_not_be_kept_to_is_refused_at_its_field(project: Project) -> None:
    admin, change = login(project, "admin"), reverse("retention-change", args=["acme"])
    for wrong, said in [
        ({"store": "traces", "keep_days": "0"}, "1 to 3,650 days."),
        ({"store": "traces", "scope": "user", "keep_days": "9"}, "Only facts and rejected proposals"),
        ({"store": "reads", "review_days": "9"}, "Only facts have this."),
        ({"store": "nothing", "keep_days": "9"}, "not one of the available choices"),
    ]:
        answer = admin.post(change, wrong)
        assert answer.status_code == 422 and said in answer.content.decode(), wrong
    assert admin.get(f"{change}?rule=999999").status_code == 404
    assert admin.get(f"{change}?rule=x").status_code == 404
    assert login(project, "privacy_officer").get(change).status_code == 403
    with bind(project.id):
        assert not RetentionRule.objects.exists()
