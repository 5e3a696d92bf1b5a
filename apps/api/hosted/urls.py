"""Mounted under /api/v1."""

from django.urls import re_path

from apps.api.boundary import api_path, boundary, unknown_path
from apps.api.hosted import views

app_name = "hosted"
urlpatterns = [
    api_path("auth/login", views.login, "POST", name="login"),
    api_path("users/me/domains", views.domains, "GET", name="domains"),
    api_path("domains/<str:domain_id>/projects", views.domain_projects, "GET", name="projects"),
    api_path("api-keys", views.api_keys, "POST", name="keys"),
    api_path("agents/<str:agent_id>/memories", views.memories, "POST", name="memories"),
    api_path("agents/<str:agent_id>/memories/<int:fact_id>/redact", views.redact, "DELETE", name="redact"),
    re_path("^", boundary(unknown_path), name="unknown"),
]
