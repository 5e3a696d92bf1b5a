"""Every page of the console, once: the addresses that tests/architecture/test_query_counts.py counts the statements of and
tests/e2e/test_pages.py looks at (axe, policy, reflow, without JavaScript), and tests/e2e/pictures.py takes.

A route of tests/routes.py that answers a GET has a row here: the query strings it is looked at with, in as many states
as it has (filled, empty, with its drawer open, refused). `{fact_id}` and the like stand for the values of
tests/filled.py, which has something to show on each; add yours there. `@` is the route itself.
"""

import re

P = "p/<slug:slug>"

PAGES: dict[str, list[str]] = {
    "": ["@"],
    "account/login/": ["@"],
    "account/logout/": ["@"],
    "account/reauthenticate/": ["@"],
    "account/password/change/": ["@"],
    "account/inactive/": ["@"],
    "me": ["@"],
    "account/signup/": ["@"],
    "next/agents/<str:agent_id>": ["@"],
    P: ["@", "@?days=7", "@?days=90"],
    f"{P}/seen": ["@"],
    f"{P}/go": ["@", "@?q=ada", "@?q=a&all=1", "@?q=%23{fact_id}&all=1", "@?q=nothing-like-it"],
    f"{P}/jobs": ["@", "@?of=40"],
    f"{P}/pulse": ["@", "@?review=0"],
    f"{P}/facts": [
        "@",
        "@?superseded=1&open={fact_id}",
        "@?q=nothing-like-it",
        "@?served=never",
        "@?facets=1&source=manual&sort=unsure&conf_min=0.2",
    ],
    f"{P}/facts/facets": ["@", "@?scope=user&scope_id=ada.k", "@?q=a"],
    f"{P}/facts/views": ["@"],
    f"{P}/facts/views/<int:view_id>": ["@"],
    f"{P}/facts/views/<int:view_id>/delete": ["@"],
    f"{P}/facts/new": ["@"],
    f"{P}/facts/bulk": ["@"],
    f"{P}/facts/<int:fact_id>": ["@", "/p/{slug}/facts/999999"],
    f"{P}/facts/<int:fact_id>/edit": ["@"],
    f"{P}/facts/<int:fact_id>/history": ["@"],
    f"{P}/facts/<int:fact_id>/forget": ["@"],
    f"{P}/facts/duplicates": ["@", "@?open={group_id}", "@?facts={copy}&alike=.8", "@?facts=1", "@?kind=meaning"],
    f"{P}/facts/duplicates/keep": ["@?merge={merge}"],
    f"{P}/facts/duplicates/<int:group_id>": ["@"],
    f"{P}/conflicts": ["@", "@?state=settled", "@?q=nobody", "@?fact={disputed}"],
    f"{P}/conflicts/<int:conflict_id>": ["@", "/p/{slug}/conflicts/{settled}"],
    f"{P}/review": [
        "@",
        "@?open={proposal_id}",
        "@?open={held}&flag=no_subject",
        "@?open={again}",
        "@?open={against}",
        "@?open={retiring}",
        "@?state=applied",
        "@?show=snoozed",
        "@?group=subject&scope=user",
        "@?group=kind&flag=none&from=0.1",
    ],
    f"{P}/review/batch": ["@"],
    f"{P}/review/<uuid:proposal_id>/snooze": ["@"],
    f"{P}/review/<uuid:proposal_id>/assign": ["@"],
    f"{P}/review/<uuid:proposal_id>": ["@", "/p/{slug}/review/{decided}"],
    f"{P}/review/<uuid:proposal_id>/approve": ["/p/{slug}/review/{held}/approve", "/p/{slug}/review/{against}/approve"],
    f"{P}/review/<uuid:proposal_id>/reject": ["@"],
    f"{P}/subjects": ["@", "@?sort=name", "@?q=ada", "@?q=nobody-is-called-so"],
    f"{P}/subjects/<int:subject_id>": [
        "@",
        "@?tab=pending",
        "@?tab=history",
        "@?tab=traces",
        "@?tab=served",
        "/p/{slug}/subjects/{nobody}",
    ],
    f"{P}/subjects/<int:subject_id>/aliases": ["@"],
    f"{P}/subjects/<int:subject_id>/aliases/<int:alias_id>/remove": ["@"],
    f"{P}/traces": [
        "@",
        "@?q=ffffffff",
        "@?state=dead",
        "@?user=ada.k&session=s&learned=1&since=2026-01-01&until=2027-01-01",
    ],
    f"{P}/traces/learn": ["@"],
    f"{P}/traces/<str:trace_id>": [
        "@",
        "@?span={span_id}",
        "@?tab=produced",
        "@?tab=memory",
        "@?tab=runs",
        "/p/{slug}/traces/{talk_id}",
    ],
    f"{P}/traces/<str:trace_id>/extract": ["@"],
    f"{P}/agents": ["@"],
    f"{P}/agents/<uuid:agent_id>": ["@", "@?tab=reads", "@?tab=definition", "@?tab=keys"],
    f"{P}/agent-view": ["@", "@?agent={agent}", "@?agent={agent}&user=ada.k&q=refunds"],
    f"{P}/agent-view/case": ["@?agent=support&q=refunds"],
    f"{P}/time-travel": ["@", "@?at={now}", "@?at=soon"],
    f"{P}/health": ["@"],
    f"{P}/health/retry": ["@"],
    f"{P}/settings/extraction": ["@"],
    f"{P}/settings/recall": ["@", "@?preset=formula&r=0.2&i=0.1"],
    f"{P}/undo/<uuid:change_id>": ["@"],
    f"{P}/privacy": ["@", "@?show=done", "@?q=nobody-asked&kind=access"],
    f"{P}/privacy/new": ["@", "@?external_id=ada.k&kind=correction&fact_id={fact_id}"],
    f"{P}/privacy/holds": ["@"],
    f"{P}/privacy/holds/<int:hold_id>/release": ["@"],
    f"{P}/privacy/<uuid:request_id>": [
        "@",
        "/p/{slug}/privacy/{previewed}",
        "/p/{slug}/privacy/{finished}",
        "/p/{slug}/privacy/{packed}",
    ],
    f"{P}/privacy/<uuid:request_id>/act": ["@"],
    f"{P}/privacy/<uuid:request_id>/approve": ["@"],
    f"{P}/privacy/<uuid:request_id>/receipt": ["/p/{slug}/privacy/{finished}/receipt"],
    f"{P}/privacy/<uuid:request_id>/receipt.json": ["/p/{slug}/privacy/{finished}/receipt.json"],
    "package/<str:token>": ["@"],
    f"{P}/audit": ["@", "@?open=2", "@?q=999999&verb=facts.add", "@?result=denied&since=2026-01-01&until=2030-01-01"],
    f"{P}/audit/verify": ["@"],
    f"{P}/audit/chain": ["@"],
    f"{P}/settings": ["@"],
    f"{P}/settings/keys": ["@"],
    f"{P}/settings/keys/new": ["@"],
    f"{P}/settings/keys/<int:key_id>/roll": ["@"],
    f"{P}/settings/keys/<int:key_id>/revoke": ["@"],
    f"{P}/settings/members": ["@"],
    f"{P}/settings/members/invite": ["@"],
    f"{P}/settings/members/<int:user_id>": ["@"],
    f"{P}/settings/members/<int:user_id>/remove": ["@"],
    f"{P}/settings/members/invitations/<int:invitation_id>/withdraw": ["@"],
    f"{P}/settings/retention": ["@"],
    f"{P}/settings/retention/change": ["@"],
    "invitations/<str:token>": ["@"],
}

NO_PAGE = {
    f"{P}/pulse",
    f"{P}/jobs",
    f"{P}/facts/bulk",
    f"{P}/facts/facets",
    f"{P}/seen",
    "next/agents/<str:agent_id>",
    f"{P}/settings",
    f"{P}/review/batch",
    f"{P}/audit/verify",
    f"{P}/audit/chain",
    f"{P}/review/<uuid:proposal_id>/reject",
    f"{P}/review/<uuid:proposal_id>/snooze",
    f"{P}/review/<uuid:proposal_id>/assign",
    f"{P}/subjects/<int:subject_id>/aliases",
    f"{P}/subjects/<int:subject_id>/aliases/<int:alias_id>/remove",
    f"{P}/traces/<str:trace_id>/extract",
    f"{P}/agent-view/case",
    f"{P}/health/retry",
    f"{P}/undo/<uuid:change_id>",
    f"{P}/privacy/holds/<int:hold_id>/release",
    f"{P}/privacy/<uuid:request_id>/act",
    f"{P}/privacy/<uuid:request_id>/approve",
    f"{P}/privacy/<uuid:request_id>/receipt.json",
}
"""Routes that lead on, or give a file or a part of a page: nothing to look at."""


def addresses(values: dict[str, str], *, pages_only: bool = False) -> list[tuple[str, str]]:
    """Every row as (name, address): the name has ``{fact_id}`` where the address has the value."""
    found = []
    for route, rows in PAGES.items():
        own = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        if not (pages_only and route in NO_PAGE):
            found += [(name, name.format(**values)) for name in (shown.replace("@", own, 1) for shown in rows)]
    return found
