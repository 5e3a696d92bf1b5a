"""Settings: members, their roles, and invitations by link."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.actions.change_roles import change_roles
from apps.access.actions.invite_member import invite_member
from apps.access.actions.withdraw_invitation import withdraw_invitation
from apps.access.models import Invitation, Role
from apps.access.policies import allowed
from apps.access.queries import members_of
from apps.console.forms.errors import show_errors
from apps.console.forms.members import InviteForm, RolesForm
from apps.console.hx import ConsoleRequest, done, note_refusal, project_page
from apps.console.shaping.links import with_query
from apps.console.shaping.settings import sections
from apps.core.clock import now
from apps.core.errors import Conflict, DomainError, Invalid, NotAllowed, NotFound
from apps.core.keyset import keyset_page

PAGE = 50
INVITATIONS = 50


@require_safe
@project_page("members.read")
def listing(request: ConsoleRequest) -> HttpResponse:
    """Members, the first to come first, and the invitations nobody has answered yet."""
    project, path = request.project, _list_url(request)
    page = keyset_page(
        members_of(project.id),
        order=("id",),
        cursor=request.GET.get("cursor") or None,
        limit=PAGE,
        context=f"{project.id} members",
    )
    invitations = Invitation.objects.filter(project_id=project.id, accepted_at=None, revoked_at=None)
    context = {
        "slug": project.slug,
        "rows": [_row(user, request) for user in page.rows],
        "invitations": [
            {"invitation": one, "roles": _labels(one.roles), "over": one.expires_at <= now()}
            for one in invitations.select_related("created_by").order_by("-id")[:INVITATIONS]
        ],
        # Pages run in the direction of the order: the next one is "older" to the pager.
        "earlier": page.newer and with_query(path, request.GET, cursor=page.newer),
        "later": page.older and with_query(path, request.GET, cursor=page.older),
        "pager_text": f"{len(page.rows)} on this page",
        "may_change": allowed(request.actor, "members.change"),
        "sections": sections(project.slug, "settings-members", request.actor),
    }
    return render(request, "console/members/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("members.change")
def invite(request: ConsoleRequest) -> HttpResponse:
    """The form, and the answer to it, which alone ever shows the link."""
    form = InviteForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            invitation, token = invite_member(
                actor=request.actor,
                project_id=request.project.id,
                email=form.cleaned_data["email"],
                roles=form.cleaned_data["roles"],
            )
        except (Invalid, Conflict) as error:
            show_errors(form, error)
        else:
            context = {
                "invitation": invitation,
                "roles": _labels(invitation.roles),
                "secret": request.build_absolute_uri(reverse("invitation", args=[token])),
                "list_url": _list_url(request),
            }
            return render(request, "console/members/invited.html", context)
    context = {"form": form, "list_url": _list_url(request)}
    return render(request, "console/members/invite.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("members.change")
def detail(request: ConsoleRequest, user_id: int) -> HttpResponse:
    """The roles of one member."""
    user = _member(request, user_id)
    form = RolesForm(request.POST if request.method == "POST" else None, initial={"roles": user.held})
    refused: DomainError | None = None
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_roles(
                actor=request.actor,
                project_id=request.project.id,
                user_id=user.id,
                roles=form.cleaned_data["roles"],
            )
        except (Conflict, NotAllowed) as error:
            note_refusal(error)
            refused = error
            form.add_error("roles", error.detail)
        else:
            text = f"{user} is now {_in_words(form.cleaned_data['roles'])}." if changed else "Nothing was different."
            return done(request, _list_url(request), text)
    context = {
        "member": user,
        "form": form,
        "own": str(user.id) == request.actor.id,
        "list_url": _list_url(request),
        "remove_url": reverse("member-remove", args=[request.project.slug, user.id]),
    }
    status = refused.status if refused else 422 if form.errors else 200
    return render(request, "console/members/detail.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("members.change")
def remove(request: ConsoleRequest, user_id: int) -> HttpResponse:
    """Asks first."""
    user = _member(request, user_id)
    if request.method == "POST":
        change_roles(actor=request.actor, project_id=request.project.id, user_id=user.id, roles=[])
        own = str(user.id) == request.actor.id
        return done(request, reverse("home") if own else _list_url(request), f"{user} is no longer a member.")
    context = {
        "title": f"Remove {user}?",
        "facts": [
            f"{user.email} sees nothing of {request.project.name} from the next click on.",
            "The account stays, with its seats in other projects. What it did here stays in the audit log.",
            "Keys it made go on working: revoke them under Keys if they should not.",
        ],
        "action": request.path,
        "label": "Remove member",
        "cancel": _list_url(request),
    }
    return render(request, "confirm.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("members.change")
def withdraw(request: ConsoleRequest, invitation_id: int) -> HttpResponse:
    """Asks first, since a link can't be shown again."""
    invitation = Invitation.objects.filter(project_id=request.project.id, id=invitation_id).first()
    if invitation is None:
        raise NotFound("not_found", "There is no such invitation in this project.")
    if request.method == "POST":
        withdraw_invitation(actor=request.actor, project_id=request.project.id, invitation_id=invitation.id)
        return done(request, _list_url(request), f"The link of {invitation.email} opens nothing any more.")
    context = {
        "title": "Withdraw the invitation?",
        "facts": [f"The link that was made for {invitation.email} stops working."],
        "action": request.path,
        "label": "Withdraw",
        "cancel": _list_url(request),
    }
    return render(request, "confirm.html", context)


def _member(request: ConsoleRequest, user_id: int) -> Any:
    user = members_of(request.project.id).filter(id=user_id).first()
    if user is None:
        raise NotFound("not_found", "There is no such member in this project.")
    return user


def _row(user: Any, request: ConsoleRequest) -> dict[str, Any]:
    return {"user": user, "roles": _labels(user.held), "own": str(user.id) == request.actor.id}


def _labels(roles: list[str]) -> list[str]:
    """In the order in which the roles are always named."""
    return [role.label.capitalize() for role in Role if role in roles]


def _in_words(roles: list[str]) -> str:
    names = [label.lower() for label in _labels(roles)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _list_url(request: ConsoleRequest) -> str:
    return reverse("settings-members", args=[request.project.slug])
