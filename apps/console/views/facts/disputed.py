"""Where a disputed fact leads."""

from urllib.parse import urlencode

from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.facts.models import Fact


def conflict_url(request: ConsoleRequest, fact: Fact) -> str:
    """The address that finds the open conflict about a fact; empty where there is none, or the reader may not see it."""
    if fact.contested_at is None or not fact.is_current or not allowed(request.actor, "proposals.read"):
        return ""
    return f"{reverse('conflicts', args=[request.project.slug])}?{urlencode({'fact': fact.id})}"
