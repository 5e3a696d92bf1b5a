"""Adding, revising and retiring facts."""

from datetime import timedelta

import pytest
from django.db import connection

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.actions.add_fact import add_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Evidence
from apps.facts.models import Fact, FactSource
from apps.facts.queries import FactFilter, filtered, matching_ids, older_versions, versions
from apps.facts.statement import Statement
from apps.tenancy.models import Project, Subject
from tests.factories import make_agent, make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db
ALL = ("public", "internal", "personal", "special")


@pytest.fixture
def project() -> Project:
    return make_project()


def test_a_curators_fact_is_approved_by_him_and_audited(project: Project) -> None:
    curator = user_actor(project, "curator")
    added = add_fact(
        actor=curator,
        project_id=project.id,
        statement=Statement(content=" Free\nshipping \u200bover 50 euros. ", scope="project"),
    )
    fact = added.fact
    assert added.created
    assert (fact.content, fact.scope_id, fact.approved_by) == ("Free shipping over 50 euros.", "acme", curator.name)
    assert (fact.source, fact.trust, fact.confidence, fact.agent_id, fact.subject_id) == ("manual", 5, 1.0, None, None)
    with bind(project.id):
        event = AuditEvent.objects.get(verb="facts.add")
        assert (event.object_id, event.actor_id, event.data) == (str(fact.id), curator.id, {})


def test_the_same_words_again_find_the_one_row(project: Project) -> None:
    first = make_fact(project, "Free shipping over 50 euros.")
    again = add_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        statement=Statement(content="FREE shipping  over 50 euros.", scope="project"),
    )
    assert (again.created, again.fact.id) == (False, first.id)
    with bind(project.id):
        assert Fact.objects.count() == 1
        assert AuditEvent.objects.filter(verb="facts.add").count() == 1


def test_an_expired_row_gives_way(project: Project) -> None:
    old = make_fact(project, "Free shipping over 50 euros.", expired=True)
    new = make_fact(project, "Free shipping over 50 euros.")
    with bind(project.id):
        old.refresh_from_db()
        assert (old.retired_reason, new.id != old.id) == ("expired", True)
        assert list(Fact.objects.active().values_list("id", flat=True)) == [new.id]


@pytest.mark.parametrize(
    ("fields", "pointers"),
    [
        ({"content": "\u200b \u00a0"}, ["/content"]),
        ({"content": "x" * 2001}, ["/content"]),
        ({"scope": "user", "scope_id": " "}, ["/scope_id"]),
        ({"scope": "user", "scope_id": "*"}, ["/scope_id"]),
        ({"scope": "planet"}, ["/scope"]),
        ({"confidence": float("nan"), "importance": 1.5}, ["/confidence", "/importance"]),
        ({"category": "two\nlines"}, ["/category"]),
        ({"valid_from": now(), "valid_to": now() - timedelta(days=1)}, ["/valid_to"]),
        ({"scope": "agent", "scope_id": "nobody"}, ["/scope_id"]),
    ],
)
def test_a_bad_statement_names_each_field_and_writes_nothing(project: Project, fields: dict, pointers: list) -> None:
    statement = Statement(**({"content": "Fine.", "scope": "project"} | fields))
    with pytest.raises(Invalid) as refused:
        add_fact(actor=user_actor(project, "curator"), project_id=project.id, statement=statement)
    assert [error.pointer for error in refused.value.errors] == pointers
    with bind(project.id):
        assert Fact.objects.count() == 0
        assert AuditEvent.objects.filter(verb="facts.add").count() == 0
        assert Subject.objects.count() == 0


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_a_curator_writes_facts(project: Project, role: str) -> None:
    fact = make_fact(project, "Free shipping over 50 euros.")
    actor = user_actor(project, role)
    statement = Statement(content="Changed.", scope="project")
    for act in (
        lambda: add_fact(actor=actor, project_id=project.id, statement=statement),
        lambda: revise_fact(actor=actor, project_id=project.id, fact_id=fact.id, statement=statement),
        lambda: retire_fact(actor=actor, project_id=project.id, fact_id=fact.id, reason="stale"),
    ):
        with pytest.raises(Refused):
            act()
    with bind(project.id):
        assert [row.content for row in Fact.objects.all()] == ["Free shipping over 50 euros."]
        assert Fact.objects.get().is_current


def test_a_curator_of_another_project_is_refused(project: Project) -> None:
    actor = user_actor(make_project("globex"), "curator")
    with pytest.raises(Refused):
        add_fact(actor=actor, project_id=project.id, statement=Statement(content="Mine.", scope="project"))
    with bind(project.id):
        assert Fact.objects.count() == 0


def test_a_revision_appends_and_closes(project: Project) -> None:
    agent = make_agent(project, "support")
    curator = user_actor(project, "curator")
    old = make_fact(project, "Returns take 30 days.", agent=agent, importance=0.9)
    middle = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Returns take 45 days.", scope="agent", scope_id="support"),
    )
    # The same words in another scope are a new version too.
    new = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=middle.id,
        statement=Statement(content="Returns take 45 days.", scope="project"),
    )
    with bind(project.id):
        old.refresh_from_db()
        middle.refresh_from_db()
        assert (old.superseded_by_id, middle.superseded_by_id) == (middle.id, new.id)
        assert old.superseded_at is not None and new.is_current
        assert (new.scope, new.scope_id, new.source) == ("project", "acme", "manual")
        assert [fact.id for fact in versions(project.id, old.id)] == [old.id, middle.id, new.id]
        assert older_versions(project.id, new.id) == [old.id, middle.id]
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_stale_revision_changes_nothing(project: Project) -> None:
    curator = user_actor(project, "curator")
    old = make_fact(project, "Returns take 30 days.")
    revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Returns take 45 days.", scope="project"),
    )
    with pytest.raises(Conflict) as refused:
        revise_fact(
            actor=curator,
            project_id=project.id,
            fact_id=old.id,
            statement=Statement(content="Returns take 60 days.", scope="project"),
        )
    assert refused.value.code == "fact_moved"
    with bind(project.id):
        assert [fact.content for fact in Fact.objects.current()] == ["Returns take 45 days."]
        assert Fact.objects.count() == 2


def test_a_revision_into_words_that_are_a_fact_already_changes_nothing(project: Project) -> None:
    old, other = make_fact(project, "Returns take 30 days."), make_fact(project, "Returns take 45 days.")
    with pytest.raises(Conflict) as refused:
        revise_fact(
            actor=user_actor(project, "curator"),
            project_id=project.id,
            fact_id=old.id,
            statement=Statement(content="Returns take 45 days.", scope="project"),
        )
    assert refused.value.code == "fact_exists"
    with bind(project.id):
        assert set(Fact.objects.current().values_list("id", flat=True)) == {old.id, other.id}


def test_a_revision_keeps_the_evidence(project: Project) -> None:
    from tests.extraction.test_extract_trace import push
    from tests.spans import run_of, trace_id

    push(project, run_of("t", "Returns take 30 days."))
    quote = Evidence(
        trace_id=trace_id("t"), message_id=None, quote="Returns take 30 days", start=0, end=20, observed_at=now()
    )
    curator = user_actor(project, "curator")
    statement = Statement(content="Returns take 30 days.", scope="project")
    old = add_fact(actor=curator, project_id=project.id, statement=statement, evidence=[quote]).fact
    new = revise_fact(
        actor=curator,
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Returns take thirty days.", scope="project"),
    )
    with bind(project.id):
        assert [row.quote for row in FactSource.objects.filter(fact_id=new.id)] == ["Returns take 30 days"]


def test_retiring_keeps_the_row_and_happens_once(project: Project) -> None:
    curator = user_actor(project, "curator")
    fact = make_fact(project, "Returns take 30 days.")
    retire_fact(actor=curator, project_id=project.id, fact_id=fact.id, reason="stale")
    with pytest.raises(Conflict):
        retire_fact(actor=curator, project_id=project.id, fact_id=fact.id, reason="wrong")
    with pytest.raises(NotFound):
        retire_fact(actor=curator, project_id=project.id, fact_id=fact.id + 1, reason="wrong")
    with bind(project.id):
        fact.refresh_from_db()
        assert fact.retired_reason == "stale"
        assert Fact.objects.active().count() == 0


def test_active_leaves_out_everything_that_may_not_be_told(project: Project) -> None:
    kept = make_fact(project, "Told.")
    make_fact(project, "Expired.", expired=True)
    make_fact(project, "Retired.", retired="stale")
    make_fact(project, "Restricted.", restricted="hold")
    make_fact(project, "Not yet.", valid_from=now() + timedelta(days=1))
    make_fact(project, "No longer.", valid_to=now() - timedelta(days=1))
    with bind(project.id):
        assert [fact.id for fact in Fact.objects.active()] == [kept.id]


def test_the_list_filters_searches_and_counts(project: Project) -> None:
    agent = make_agent(project, "support")
    make_fact(project, "Returns take 30 days.", agent=agent, category="policy")
    make_fact(project, "Lives in Porto.", user="ada", sensitivity="personal")
    make_fact(project, "Prefers e-mail 日本語で.", user="ada", sensitivity="personal")
    make_fact(project, "100% wool\\linen_mix.")
    make_fact(project, "Old news.", retired="stale")
    with bind(project.id):

        def found(**wanted: object) -> list[str]:
            wanted = {"sensitivities": ALL} | wanted
            return sorted(fact.content for fact in filtered(project.id, FactFilter(**wanted)))  # type: ignore[arg-type]

        assert found(query="porto LIVES") == ["Lives in Porto."]
        assert found(query="日本") == ["Prefers e-mail 日本語で."]
        assert found(query="100%") == ["100% wool\\linen_mix."] == found(query="n_m")
        assert found(query="%") == ["100% wool\\linen_mix."]
        assert found(scope="user", scope_id="ad") == []
        assert len(found(scope="user", scope_id="ada")) == 2
        assert found(category="policy", source="manual") == ["Returns take 30 days."]
        assert len(found()) == 4 and len(found(superseded=True)) == 5
        assert len(found(sensitivities=("public", "internal"))) == 2
        newest = matching_ids(project.id, FactFilter(sensitivities=ALL, superseded=True), 2)
        assert newest == sorted(Fact.objects.values_list("id", flat=True))[:-3:-1]
