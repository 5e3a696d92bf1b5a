"""The console's paths. State lives in the query string; a path names a thing."""

from allauth.account import views as allauth
from django.urls import include, path

from apps.console.views import (
    agent_view,
    agents,
    agents_links,
    extraction_health,
    facts,
    home,
    invitations,
    keys,
    learning,
    members,
    palette,
    proposals,
    pulse,
    recall_settings,
    settings,
    subjects,
    time_travel,
    traces,
    undo,
)

# Of allauth's pages those that people need. The others send mail, take addresses nobody checked, and write on a GET.
account = [
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    # Closed by the adapter; the login page names it.
    path("signup/", allauth.signup, name="account_signup"),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("account/", include(account)),
    path("next/agents/<str:agent_id>", agents_links.from_sdk, name="sdk-agent"),
    path("p/<slug:slug>", home.project, name="project"),
    path("p/<slug:slug>/go", palette.go, name="go"),
    path("p/<slug:slug>/pulse", pulse.pulse, name="pulse"),
    path("p/<slug:slug>/undo/<uuid:change_id>", undo.undo, name="undo"),
    path("p/<slug:slug>/facts", facts.listing, name="facts"),
    path("p/<slug:slug>/facts/new", facts.new, name="fact-new"),
    path("p/<slug:slug>/facts/bulk", facts.bulk, name="facts-bulk"),
    path("p/<slug:slug>/facts/<int:fact_id>", facts.detail, name="fact"),
    path("p/<slug:slug>/facts/<int:fact_id>/edit", facts.edit, name="fact-edit"),
    path("p/<slug:slug>/facts/<int:fact_id>/forget", facts.forget, name="fact-forget"),
    path("p/<slug:slug>/review", proposals.queue, name="review"),
    path("p/<slug:slug>/review/<uuid:proposal_id>", proposals.detail, name="proposal"),
    path("p/<slug:slug>/review/<uuid:proposal_id>/approve", proposals.approve, name="proposal-approve"),
    path("p/<slug:slug>/review/<uuid:proposal_id>/reject", proposals.reject, name="proposal-reject"),
    path("p/<slug:slug>/subjects", subjects.listing, name="subjects"),
    path("p/<slug:slug>/subjects/<int:subject_id>", subjects.detail, name="subject"),
    path("p/<slug:slug>/subjects/<int:subject_id>/aliases", subjects.alias_add, name="alias-add"),
    path(
        "p/<slug:slug>/subjects/<int:subject_id>/aliases/<int:alias_id>/remove",
        subjects.alias_remove,
        name="alias-remove",
    ),
    path("p/<slug:slug>/traces", traces.listing, name="traces"),
    # Before the traces themselves: no trace has this id.
    path("p/<slug:slug>/traces/learn", learning.learn, name="traces-learn"),
    path("p/<slug:slug>/traces/<str:trace_id>", traces.detail, name="trace"),
    path("p/<slug:slug>/traces/<str:trace_id>/extract", traces.extract, name="trace-extract"),
    path("p/<slug:slug>/agents", agents.listing, name="agents"),
    path("p/<slug:slug>/agents/<uuid:agent_id>", agents.detail, name="agent"),
    path("p/<slug:slug>/agent-view", agent_view.page, name="agent-view"),
    path("p/<slug:slug>/agent-view/case", agent_view.case, name="agent-view-case"),
    path("p/<slug:slug>/time-travel", time_travel.page, name="time-travel"),
    path("p/<slug:slug>/health", extraction_health.overview, name="health"),
    path("p/<slug:slug>/health/retry", extraction_health.retry, name="health-retry"),
    path("p/<slug:slug>/settings/extraction", settings.extraction, name="settings-extraction"),
    path("p/<slug:slug>/settings/recall", recall_settings.weights, name="settings-recall"),
    path("p/<slug:slug>/settings", settings.index, name="settings"),
    path("p/<slug:slug>/settings/keys", keys.listing, name="settings-keys"),
    path("p/<slug:slug>/settings/keys/new", keys.new, name="key-new"),
    path("p/<slug:slug>/settings/keys/<int:key_id>/roll", keys.roll, name="key-roll"),
    path("p/<slug:slug>/settings/keys/<int:key_id>/revoke", keys.revoke, name="key-revoke"),
    path("p/<slug:slug>/settings/members", members.listing, name="settings-members"),
    path("p/<slug:slug>/settings/members/invite", members.invite, name="member-invite"),
    path("p/<slug:slug>/settings/members/<int:user_id>", members.detail, name="member"),
    path("p/<slug:slug>/settings/members/<int:user_id>/remove", members.remove, name="member-remove"),
    path(
        "p/<slug:slug>/settings/members/invitations/<int:invitation_id>/withdraw",
        members.withdraw,
        name="invitation-withdraw",
    ),
    path("invitations/<str:token>", invitations.accept, name="invitation"),
]
