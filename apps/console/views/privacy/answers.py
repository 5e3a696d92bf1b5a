"""What can be done about a request: one form each, one verb each."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.console.hx import ConsoleRequest, done, note_refusal, project_page
from apps.console.views.privacy.detail import page_of, request_or_404
from apps.core.errors import Conflict, DomainError, Invalid, Malformed, NotAllowed
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.cancel_request import cancel_request
from apps.privacy.actions.check_again import check_again
from apps.privacy.actions.check_identity import ask_identity, check_identity
from apps.privacy.actions.close_account import close_account
from apps.privacy.actions.extend_request import extend_request
from apps.privacy.actions.fulfil_request import fulfil_request
from apps.privacy.actions.keep_account import keep_account
from apps.privacy.actions.make_link import make_link
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.actions.reject_request import reject_request
from apps.privacy.actions.retry_request import retry_request
from apps.privacy.actions.tell_names import tell_names

Answer = Callable[[ConsoleRequest, UUID], str]


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.handle")
def act(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """POST ``do``: one of ANSWERS; a refusal shows the page again with its reason. Anything else leads to the request."""
    url = _url(request, request_id)
    if request.method != "POST":
        return HttpResponseRedirect(url)
    name = request.POST.get("do", "")
    if name == "link":
        return _link(request, request_id)
    answer = ANSWERS.get(name)
    if answer is None:
        raise Malformed("unknown_choice", "There is no such answer.", parameter="do")
    return _answered(request, request_id, answer)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.approve")
def approve(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """POST: approve the preview that was shown, by the second person. Anything else leads to the request."""
    if request.method != "POST":
        return HttpResponseRedirect(_url(request, request_id))
    return _answered(request, request_id, _approve)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("privacy.close_account")
def account(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """POST: close an account of staff that bears the person's name. Anything else leads to the request."""
    if request.method != "POST":
        return HttpResponseRedirect(_url(request, request_id))
    return _answered(request, request_id, _close_account)


def _answered(request: ConsoleRequest, request_id: UUID, answer: Answer) -> HttpResponse:
    try:
        text = answer(request, request_id)
    except (Invalid, Conflict, NotAllowed) as error:
        if error.code == "not_allowed":
            raise
        note_refusal(error)
        context = page_of(request, request_or_404(request, request_id), _said(error))
        return render(request, "console/privacy/detail.html", context, status=error.status)
    return done(request, _url(request, request_id), text)


def _said(error: DomainError) -> str:
    return " ".join(fault.detail for fault in error.errors) or error.detail


def _url(request: ConsoleRequest, request_id: UUID) -> str:
    return reverse("privacy-request", args=[request.project.slug, request_id])


def _of(request: ConsoleRequest, request_id: UUID) -> dict[str, object]:
    return {"actor": request.actor, "project_id": request.project.id, "request_id": request_id}


def _ask(request: ConsoleRequest, request_id: UUID) -> str:
    ask_identity(**_of(request, request_id))  # type: ignore[arg-type]
    return "Noted. The clock stands until the proof comes."


def _identity(request: ConsoleRequest, request_id: UUID) -> str:
    check_identity(**_of(request, request_id), method=request.POST.get("method", ""))  # type: ignore[arg-type]
    return "Identity checked."


def _preview(request: ConsoleRequest, request_id: UUID) -> str:
    """Anew; with ``decided`` the ticks and grounds of the form count, without it those of the last preview."""
    also = exceptions = None
    if "decided" in request.POST:
        also = [_number(text) for text in request.POST.getlist("also")]
        exceptions = {
            _number(number): ground
            for number, ground in zip(request.POST.getlist("except"), request.POST.getlist("ground"), strict=False)
            if number.strip()
        }
    preview_request(**_of(request, request_id), also=also, exceptions=exceptions)  # type: ignore[arg-type]
    return "Counted again. Nothing was changed."


def _number(text: str) -> int:
    plain = text.strip().lstrip("#")
    if not (plain.isascii() and plain.isdecimal() and len(plain) <= 18):
        raise Invalid("invalid_number", "A fact is named by its number.", pointer="/except")
    return int(plain)


def _close_account(request: ConsoleRequest, request_id: UUID) -> str:
    close_account(**_of(request, request_id), user_id=_number(request.POST.get("account", "")))  # type: ignore[arg-type]
    return "Closed, and its name taken off. Try the erasure again."


def _keep_account(request: ConsoleRequest, request_id: UUID) -> str:
    kept = keep_account(
        **_of(request, request_id),  # type: ignore[arg-type]
        user_id=_number(request.POST.get("account", "")),
        ground=request.POST.get("ground", ""),
    )
    return "Noted for the receipt." if kept.accounts else "Taken back."


def _submit(request: ConsoleRequest, request_id: UUID) -> str:
    submit_request(
        **_of(request, request_id),  # type: ignore[arg-type]
        digest=request.POST.get("digest", ""),
        typed_id=request.POST.get("typed_id", ""),
    )
    return "Submitted. Another privacy officer has to approve it."


def _approve(request: ConsoleRequest, request_id: UUID) -> str:
    approve_request(
        **_of(request, request_id),  # type: ignore[arg-type]
        digest=request.POST.get("digest", ""),
        typed_id=request.POST.get("typed_id", ""),
    )
    return "Approved. It is being carried out."


def _reject(request: ConsoleRequest, request_id: UUID) -> str:
    reject_request(**_of(request, request_id), reason=request.POST.get("reason", ""))  # type: ignore[arg-type]
    return "Refused. Tell the person why, and that a complaint to the authority is possible."


def _cancel(request: ConsoleRequest, request_id: UUID) -> str:
    cancel_request(**_of(request, request_id))  # type: ignore[arg-type]
    return "Taken back."


def _extend(request: ConsoleRequest, request_id: UUID) -> str:
    extend_request(**_of(request, request_id), reason=request.POST.get("reason", ""))  # type: ignore[arg-type]
    return "Two months more. Tell the person so, with the reason."


def _fulfil(request: ConsoleRequest, request_id: UUID) -> str:
    fulfil_request(**_of(request, request_id), correction=request.POST.get("correction", ""))  # type: ignore[arg-type]
    return "It is being carried out."


def _retry(request: ConsoleRequest, request_id: UUID) -> str:
    retry_request(**_of(request, request_id))  # type: ignore[arg-type]
    return "It goes on."


def _check(request: ConsoleRequest, request_id: UUID) -> str:
    receipt = check_again(**_of(request, request_id), typed_id=request.POST.get("typed_id", ""))  # type: ignore[arg-type]
    hits = receipt.body["verification"]["hits"]
    return "Looked again: nothing was found." if not hits else f"Looked again: {hits:,} places name the person."


def _tell(request: ConsoleRequest, request_id: UUID) -> str:
    numbers = {_number(text) for text in request.POST.getlist("tell")}
    told = tell_names(**_of(request, request_id), numbers=numbers)  # type: ignore[arg-type]
    return f"{told} more in the package. Make a new link." if told else "They were in the package already."


ANSWERS: dict[str, Answer] = {
    "ask": _ask,
    "identity": _identity,
    "preview": _preview,
    "submit": _submit,
    "reject": _reject,
    "cancel": _cancel,
    "extend": _extend,
    "fulfil": _fulfil,
    "retry": _retry,
    "check": _check,
    "account": _keep_account,
    "tell": _tell,
}


def _link(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """The one page that shows the link: it is kept nowhere."""
    try:
        token = make_link(**_of(request, request_id))  # type: ignore[arg-type]
    except Conflict as error:
        context = page_of(request, request_or_404(request, request_id), _said(error))
        return render(request, "console/privacy/detail.html", context, status=error.status)
    link = request.build_absolute_uri(reverse("privacy-package", args=[token]))
    context = {"slug": request.project.slug, "link": link, "url": _url(request, request_id)}
    return render(request, "console/privacy/linked.html", context)
