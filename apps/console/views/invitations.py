"""Following an invitation's link: a new account, or a seat for the one that there is."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.actions.accept_invitation import accept_invitation
from apps.access.models import Role, User
from apps.access.policies import Refused
from apps.access.queries import open_invitation
from apps.console.forms.errors import show_errors
from apps.console.forms.members import AcceptForm
from apps.console.hx import note_refusal, to_login
from apps.core.errors import Invalid, NotFound


@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """GET: whose seat it is. POST: take it. Looking at the link does not use it up."""
    response = _answer(request, token)
    response["Cache-Control"] = "no-store"
    # The address is the secret.
    response["Referrer-Policy"] = "no-referrer"
    return response


def _answer(request: HttpRequest, token: str) -> HttpResponse:
    invitation = open_invitation(token)
    if invitation is None:
        reason = "This invitation was used, withdrawn or is too old. Ask for another one."
        return render(request, "404.html", {"reason": reason}, status=404)
    user = request.user if request.user.is_authenticated else None
    known = user is None and User.objects.filter(email=invitation.email).exists()
    if known and request.method == "POST":
        return to_login(request)
    form = AcceptForm(request.POST if request.method == "POST" and user is None else None)
    if request.method == "POST" and (user is not None or form.is_valid()):
        try:
            data = {} if user else {name: form.cleaned_data[name] for name in ("name", "password")}
            joined = accept_invitation(token=token, user=user, **data)
        except NotFound as error:
            return render(request, "404.html", {"reason": error.detail}, status=404)
        except Refused as error:
            note_refusal(error)
            return render(request, "403.html", {"reason": error.detail}, status=403)
        except Invalid as error:
            show_errors(form, error)
        else:
            if user is None:
                messages.success(request, f"Your account {joined.email} is made. Sign in with it.")
                return redirect("account_login")
            return redirect("project", slug=invitation.project.slug)
    context = {
        "invitation": invitation,
        "token": token,
        "roles": [role.label.lower() for role in Role if role in invitation.roles],
        "form": form,
        "user_here": user,
        "other": user is not None and user.email != invitation.email,
        "known": known,
        "login_url": f"{reverse('account_login')}?next={request.path}",
        "logout_url": reverse("account_logout"),
    }
    return render(request, "console/members/accept.html", context, status=422 if form.errors else 200)
