"""Scratch: screenshots."""

import os, sys
from datetime import timedelta
from django.test import Client
from playwright.sync_api import sync_playwright
from tests.factories import *
from tests.live import Live
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.append import Evidence, Origin
from apps.facts.statement import Statement
from apps.traces.models import Message, Trace
from apps.curation.models import Proposal, ProposalEvidence
from apps.recall.models import ReadLedger

ARGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split()
OUT = "/tmp/shots"


def said(project, n, text, quotes, user="alice.moreau"):
    tid = f"{n:032x}"[::-1].replace("0", "9f31c0ab"[n % 8], 3)
    with bind(project.id):
        Trace.objects.create(
            project_id=project.id, trace_id=tid, agent_name="support", started_at=now(), ended_at=now()
        )
        m = Message.objects.create(
            project_id=project.id, trace_id=tid, span_id="a" * 16, role="user", content=text, at=now()
        )
    ev = []
    for q in quotes:
        i = text.index(q)
        ev.append(Evidence(trace_id=tid, message_id=m.id, quote=q, start=i, end=i + len(q), observed_at=now()))
    return tid, ev


def fill(project):
    support, orders, pay = (make_agent(project, n) for n in ("support", "orders", "payments"))
    cur = setup_actor(project)
    T = [
        ("Prefers replies by phone.", dict(user="alice.moreau", confidence=0.6)),
        ("Invoices must show PO number 4500-1187 in the subject line.", dict()),
        (
            "Is on the Team plan since 3 November; renewal falls on 3 November 2027.",
            dict(user="alice.moreau", confidence=0.6, expires_at=now() + timedelta(days=338)),
        ),
        ("Refunds over €250 need approval from a tier-2 lead.", dict(agent=support)),
        (
            "Has a nut allergy; never suggest the almond sampler.",
            dict(user="b.okafor", confidence=0.88, sensitivity="special"),
        ),
        ("Release owner for the payments service is Mira.", dict(agent=pay, confidence=0.6)),
        ("Staging deploys are frozen on Fridays after 15:00 UTC.", dict(confidence=0.81, category="operations")),
        (
            "Writes in Portuguese first; switch to English only if asked.",
            dict(user="t.almeida", confidence=0.6, memory_type="preference", category="preferences"),
        ),
        ("Lives in Porto, near the river.", dict(user="t.almeida", confidence=0.41, sensitivity="personal")),
        ("Always cite the ticket number when quoting a past conversation.", dict(agent=support, category="operations")),
        (
            "Uses the mobile app on Android 16; web console is blocked by their proxy.",
            dict(user="r.vance", confidence=0.67),
        ),
        ("Our refund window is 30 days.", dict(agent=support)),
    ]
    made = []
    for i, (text, kw) in enumerate(T):
        origin = ev = None
        if i % 2 == 0:
            tid, ev = said(project, 100 + i, f"Hello again, {text} Thanks.", [text])
            origin = Origin(source="learned", speaker="user", trust=3, source_trace_id=tid)
        made.append(make_fact(project, text, origin=origin, **kw))
    for i in range(55):
        make_fact(
            project,
            f"Order {7000 + i} ships from warehouse {i % 7} on day {i}.",
            agent=orders,
            confidence=1 - (i % 10) / 12,
        )
    text = "Morning! I'm back from leave and the queue is long. Please just write me an email, I’m on site most mornings so don’t ring before ten. The new badge reader also refuses my card, could somebody look at that on Monday, and tell the front desk that the parcels for the third floor go to the loading dock and not to reception, as they did before the move?"
    tid, ev = said(project, 1, text, ["write me an email", "don’t ring before ten"])
    from apps.facts.actions.add_fact import add_fact

    first = add_fact(
        actor=cur,
        project_id=project.id,
        origin=Origin(source="learned", speaker="user", trust=3, source_trace_id=tid),
        evidence=ev,
        statement=Statement(
            content="Prefers replies by phone, any time.",
            scope="user",
            scope_id="alice.moreau",
            confidence=0.6,
            attribute="contact-channel",
            sensitivity="personal",
            memory_type="preference",
        ),
    ).fact
    ada = make_user(project, "curator", email="ada@example.test", name="Ada Byron")
    actor = user_actor(project, "curator", user=ada)
    st = dict(
        scope="user",
        scope_id="alice.moreau",
        attribute="contact-channel",
        sensitivity="personal",
        memory_type="preference",
    )
    second = revise_fact(
        actor=actor,
        project_id=project.id,
        fact_id=first.id,
        statement=Statement(content="Prefers replies by email, any time.", confidence=0.8, **st),
    )
    third = revise_fact(
        actor=actor,
        project_id=project.id,
        fact_id=second.id,
        statement=Statement(
            content="Prefers replies by email; do not call before 10:00 Lisbon time.", confidence=0.92, **st
        ),
    )
    with bind(project.id):
        for d in range(46):
            ReadLedger.objects.create(
                project_id=project.id, at=now() - timedelta(hours=d), fact_ids=[third.id], **LEDGER(project, support)
            ) if False else None
    old = make_fact(project, "The payments rota is kept in the wiki.", agent=pay)
    retire_fact(actor=actor, project_id=project.id, fact_id=old.id, reason="stale")
    make_fact(
        project,
        "Customs form C88 is needed for parcels to Norway.",
        agent=orders,
        restricted="hold",
        category="customs",
    )
    make_fact(project, "Black Friday vouchers are valid.", agent=support, expired=True)
    mira = revise_fact(
        actor=actor,
        project_id=project.id,
        fact_id=made[5].id,
        statement=Statement(
            content="Release owner for the payments service is Chen.",
            scope="agent",
            agent_name="payments",
            confidence=0.74,
        ),
    )
    return third, ada


def ugly(project):
    a = make_agent(project, "a" * 120)
    b = make_agent(project, "<b>bold</b>")
    for t, kw in [
        ("<img src=x onerror=alert(1)><script>alert(2)</script>", dict(agent=b)),
        ("{{7*7}} {% csrf_token %} ${7*7}", {}),
        ("שלום עולם, המחיר הוא 30 ש״ח (abc) ותו לא.", dict(user="משתמש")),
        ("العميل يفضل البريد الإلكتروني قبل الساعة 10:00.", dict(user="x" * 200)),
        ("Loremipsumdolorsitametconsecteturadipiscingelit" * 20, dict(agent=a, category="c" * 60)),
        ("W" * 2000, {}),
        ("Zalgo t̷̨̛e̴͜x̸t͝ 👩‍👩‍👧‍👦 日本語のテキストで空白のない長い文章が続きます。", dict(user="日本語ユーザー")),
        ("'; DROP TABLE facts_fact; --", dict(scope="other", scope_id="pr:456")),
    ]:
        make_fact(project, t, **kw)


def test_shots(server: Live):
    acme = make_project("acme", "Acme Support")
    third, ada = fill(acme)
    bad = make_project("ugly", "Ugly <i>Data</i> " + "long " * 12)
    ugly(bad)
    new = make_project("fresh", "Fresh")
    from apps.access.actions.grant_role import grant_role

    for p in (bad, new):
        for role in ("curator", "admin") if p is new else ("curator",):
            grant_role(actor=setup_actor(p), project_id=p.id, user=ada, role=role)
    viewer = make_user(acme, "viewer", email="vera@example.test")

    def cookie(user):
        c = Client()
        c.force_login(user)
        return {"name": "sessionid", "value": c.cookies["sessionid"].value, "url": server.url}

    jar = {u.id: cookie(u) for u in (ada, viewer)}
    exec(open("/tmp/shots/plan.py").read(), globals() | locals())
