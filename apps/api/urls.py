"""The API's paths, mounted under /public/v1 and /v1. None ends in a slash, since agents follow no redirect."""

from django.urls import re_path

from apps.api.boundary import api_path, boundary, unknown_path
from apps.api.views import (
    connect,
    dreams,
    fact_list,
    fact_writes,
    facts,
    keys,
    memories,
    otlp,
    privacy,
    sessions,
    traces,
)

app_name = "api"
urlpatterns = [
    api_path("auth/check", connect.CheckView.as_view(), "GET", name="auth-check"),
    api_path("policy", connect.PolicyView.as_view(), "GET", name="policy"),
    api_path("governance/enroll", connect.EnrollView.as_view(), "POST", name="enroll"),
    api_path("sdk/agents", connect.AgentsView.as_view(), "POST", name="agents"),
    # An agent drops the facts it has when it is told 500, and keeps them when it is told 503.
    api_path("memory/facts", facts.facts, "GET", name="facts", in_trouble=503),
    api_path("memory/revocations", fact_list.withdrawn, "GET", name="revocations", in_trouble=503),
    api_path("facts", fact_writes.FactsView.as_view(), "GET, POST, DELETE", name="fact-list"),
    api_path("facts/<int:fact_id>", fact_writes.FactView.as_view(), "GET, PATCH, DELETE", name="fact"),
    api_path("facts/<int:fact_id>/supersede", fact_writes.SupersedeView.as_view(), "POST", name="fact-supersede"),
    api_path("memories", memories.MemoriesView.as_view(), "GET, PUT, DELETE", name="memories"),
    api_path("memories/value", memories.ValueView.as_view(), "GET", name="memory-value"),
    api_path("memories/keys", memories.KeysView.as_view(), "GET", name="memory-keys"),
    api_path("memories/scopes", memories.ScopesView.as_view(), "GET", name="memory-scopes"),
    api_path("traces/ingest", traces.ingest, "POST", name="ingest"),
    # An exporter throws away what is refused with 500, and sends it again after 503.
    api_path("traces", otlp.export, "POST", name="otlp-traces", in_trouble=503),
    api_path("keys/revoke", keys.RevokeView.as_view(), "POST", name="revoke"),
    api_path("privacy/requests", privacy.RequestsView.as_view(), "POST", name="privacy-requests"),
    api_path("privacy/opened", privacy.OpenedView.as_view(), "GET", name="privacy-opened"),
    api_path("dreams", dreams.DreamsView.as_view(), "GET, POST", name="dreams"),
    api_path("dreams/<int:run_id>", dreams.DreamView.as_view(), "GET", name="dream"),
    api_path("sessions/<path:session_id>/messages", sessions.MessagesView.as_view(), "POST", name="session-messages"),
    re_path("^", boundary(unknown_path), name="unknown"),
]
