"""What the reader has on his screen as he posts a form of the list."""

from urllib.parse import urlsplit

from django.http import QueryDict
from django.urls import reverse

from apps.console.hx import ConsoleRequest
from apps.console.views.facts.state import ListState, list_state


def shown_state(request: ConsoleRequest) -> ListState:
    """The filter of the list: that of the address, which a script keeps up to date, or else what the form was made with."""
    came = urlsplit(request.headers.get("Referer", ""))
    here = came.path == reverse("facts", args=[request.project.slug]) and came.netloc == request.get_host()
    return list_state(QueryDict(came.query if here else request.POST.get("list", "").removeprefix("?")))
