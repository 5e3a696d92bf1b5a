"""What an erasure leaves behind is found, wherever it lies: each column in turn gets the person's name put back by hand."""

from typing import Any

import pytest
from django.conf import settings as live
from django.core.cache import cache
from django.db import connection
from redis import Redis

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.mentions import Identifier
from apps.privacy.models import AccessPackage, PrivacyRequest, RequestIdentity
from apps.privacy.preview import identifiers_of, reach_for
from apps.privacy.registry import CODE, DIGEST, REGISTRY
from apps.privacy.verification import Report, verify
from apps.tenancy.models import Project, Subject
from tests.factories import make_fact
from tests.privacy.canaries import CANARY, erase_canary, left_behind, message_of, superuser
from tests.privacy.stage import approved, fresh, work


@pytest.fixture
def erased(fresh_db: str, settings: Any) -> tuple[Project, PrivacyRequest]:
    settings.PURGE_WAITS = False
    return erase_canary()


def check(project: Project, request: PrivacyRequest, shingles: tuple[str, ...] = ()) -> Report:
    with bind(project.id):
        named = [Identifier("user_id", CANARY)]
        return verify(project.id, reach_for(request, [], named), named, list(shingles))


def found(report: Report) -> set[str]:
    return {line["check"] for line in report.checks if line["hits"]}


def test_every_store_is_emptied(erased: tuple[Project, PrivacyRequest]) -> None:
    project, request = erased
    before, gone = request.progress["before"], request.progress["erased"]
    for store in ("proposals", "facts", "traces", "sessions", "operational", "reads", "aliases", "subject"):
        assert before[store] > 0 and gone[store] == before[store], store
    assert check(project, request).hits == 0
    with bind(project.id):
        assert set(Subject.objects.values_list("external_id", flat=True)) == {"zoe"}


def test_a_name_in_any_column_is_found(erased: tuple[Project, PrivacyRequest]) -> None:
    project, request = erased
    found_in, missed, cannot = left_behind(project)
    assert missed == set()
    # What refuses a name can hold nothing but codes, digests and numbers.
    lines = {model.replace(".", "_").lower(): columns for model, columns in REGISTRY.items()}
    refusing = {
        f"{table}.{column}"
        for table, column in cannot
        if lines.get(table, {}).get(column) not in {CODE, DIGEST}
        and not column.endswith(("_id", "_ids", "hash", "ranks", "scores", "digest", "mined"))
    }
    # A row id of staff, ids of agents, and what a row's partition is chosen by.
    assert refusing <= {"privacy_privacyrequest.approved_by", "access_apikey.agents", "facts_hot.scope"}, refusing
    assert len(found_in) > 100
    assert check(project, request).hits == 0


def test_words_of_hers_without_her_name_are_found(erased: tuple[Project, PrivacyRequest]) -> None:
    project, request = erased
    piece = "the key of the summer house lies under"
    make_fact(project, "Note: The key, of the summer house, lies under the third stone.")
    assert found(check(project, request)) == set()
    assert found(check(project, request, (piece,))) == {"text:facts_fact", "text:facts_hot"}


def test_rows_that_nothing_leads_to_any_more_are_found(erased: tuple[Project, PrivacyRequest]) -> None:
    """A vector and lineage whose fact is gone, a read and a telling for her number."""
    project, request = erased
    with bind(project.id):
        other = Subject.objects.get(external_id="zoe").id
        fact = Fact.objects.filter(subject_id=other).order_by("id").first()
        assert fact is not None
    was = request.progress["subject"]
    with superuser() as db:
        db.execute("UPDATE recall_readledger SET subject_id = %s WHERE subject_id = %s", [was, other])
        assert found(check(project, request)) == {"store:reads"}
        db.execute("UPDATE recall_readledger SET subject_id = %s", [other])
        db.execute("UPDATE recall_factserving SET subject_id = %s WHERE fact_id = %s", [was, fact.id])
        assert found(check(project, request)) == {"store:servings"}
        db.execute("UPDATE recall_factserving SET subject_id = %s", [other])
        db.execute(
            "INSERT INTO facts_factderivation (project_id, child_id, parent_id) VALUES (%s, %s, 9999999)",
            [project.id, fact.id],
        )
        assert found(check(project, request)) == {"lineage without a parent"}
        db.execute("DELETE FROM facts_factderivation WHERE parent_id = 9999999")
        db.execute("DELETE FROM facts_fact WHERE id = %s", [fact.id])
        assert found(check(project, request)) == {"vectors without a fact"}


def test_the_queue_and_the_cache_are_looked_through(erased: tuple[Project, PrivacyRequest]) -> None:
    project, request = erased
    redis = Redis.from_url(live.REDIS_URL)
    redis.lpush("left-behind", message_of(f"about {CANARY}"))
    assert found(check(project, request)) == {"queue and cache"}
    redis.delete("left-behind")
    cache.set("left-behind", {"told": f"{CANARY} lives in Lisbon"}, 60)
    assert found(check(project, request)) == {"queue and cache"}
    cache.delete("left-behind")
    assert check(project, request).hits == 0


def test_a_package_and_an_ended_request_are_found(erased: tuple[Project, PrivacyRequest]) -> None:
    project, request = erased
    with bind(project.id):
        kept = AccessPackage.objects.create(
            project_id=project.id, request=request, content=b"sealed", sha256=b"0" * 32, size=6
        )
    assert found(check(project, request)) == {"store:packages"}
    with bind(project.id):
        kept.delete()
        RequestIdentity.objects.create(project_id=project.id, request=request, kind="email", value=CANARY)
    assert found(check(project, request)) == {"text:privacy_requestidentity"}


def test_what_is_found_is_erased_when_it_is_tried_again(erased: tuple[Project, PrivacyRequest]) -> None:
    """Names in others' notes, values and titles don't stand in the way of an erasure for ever: they go."""
    project, _ = erased
    with superuser() as db:
        db.execute("UPDATE curation_conflict SET note = %s", [f"As {CANARY} said."])
        db.execute("UPDATE traces_trace SET root_name = %s", [f"call with {CANARY}"])
        db.execute("UPDATE traces_session SET external_id = %s", [f"chat {CANARY}"])
        db.execute("UPDATE facts_operationalvalue SET value = to_jsonb(%s::text)", [f"ask {CANARY}"])
        db.execute("UPDATE facts_factsource SET quote = %s", [f"{CANARY} told me"])
    request = approved(project, CANARY)
    assert fresh(request).preview["stores"] | {"facts": 0} == fresh(request).preview["stores"]
    assert work(project) == ["completed"], fresh(request).verification
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT note FROM curation_conflict UNION SELECT root_name FROM traces_trace")
        assert cursor.fetchall() == [("",)]
        assert identifiers_of(fresh(request)) == []
        # The fact that rested on what was told stays; its quote is gone.
        assert Fact.objects.filter(subject__external_id="zoe").count() > 0
