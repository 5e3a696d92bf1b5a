"""POST privacy/requests: what a back end may ask for, and that it can do no more."""

import json

import pytest

from apps.core.transactions import bind
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.tenancy.models import Project
from tests.api.helpers import assert_problem, get, post
from tests.factories import make_key


def opened(project: Project) -> list[tuple[int, str, str]]:
    with bind(project.id):
        return list(PrivacyRequest.objects.order_by("number").values_list("number", "kind", "state"))


def test_a_back_end_opens_a_request_and_sees_how_it_stands(project: Project) -> None:
    key, text = make_key(project, ["privacy:open"])
    _, another = make_key(project, ["privacy:open"])
    body = {
        "kind": "erasure",
        "user_id": "lovelace",
        "identities": [{"kind": "email", "value": "lovelace@example.org"}],
        "message": "Forget me, please.",
    }
    response = post("privacy/requests", text, body)
    assert response.status_code == 201
    told = json.loads(response.content)
    assert (told["number"], told["kind"], told["state"], told["finished_at"]) == (1, "erasure", "received", None)
    assert "lovelace" not in response.content.decode()
    with bind(project.id):
        request = PrivacyRequest.objects.get()
        assert (request.opened_by, request.wish, request.identity_checked_at) == (
            f"key:{key.id}",
            body["message"],
            None,
        )
        assert sorted(RequestIdentity.objects.values_list("kind", "value")) == [
            ("email", "lovelace@example.org"),
            ("user_id", "lovelace"),
        ]
    assert json.loads(post("privacy/requests", text, body).content)["state"] == "duplicate"
    assert [row["number"] for row in json.loads(get("privacy/opened", text).content)["requests"]] == [2, 1]
    one = json.loads(get("privacy/opened", text, id=told["id"]).content)["requests"]
    assert one == [told]
    assert json.loads(get("privacy/opened", another, id=told["id"]).content) == {"requests": []}
    assert get("privacy/opened", text, id="nonsense").status_code == 422


@pytest.mark.parametrize("user", [None, "", "  ", "*"])
def test_nobody_or_everybody_is_400(project: Project, user: str | None) -> None:
    _, text = make_key(project, ["privacy:open"])
    body = {"kind": "erasure"} | ({} if user is None else {"user_id": user})
    response = post("privacy/requests", text, body)
    assert response.status_code == 400
    assert json.loads(response.content)["type"].endswith("subject_required")
    assert opened(project) == []


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"kind": "revenge"}, "unknown_choice", "/kind"),
        ({"identities": [{"kind": "email", "value": "*"}]}, "invalid_identity", "/identities/0"),
        ({"identities": [{"kind": "sign", "value": "Leo"}]}, "unknown_choice", "/identities/0/kind"),
        ({"fact": 7}, "unknown_field", "/fact"),
        ({"kind": "correction"}, "unknown_fact", "/fact_id"),
    ],
)
def test_what_is_refused_opens_nothing(project: Project, change: dict[str, object], code: str, pointer: str) -> None:
    _, text = make_key(project, ["privacy:open"])
    response = post("privacy/requests", text, {"kind": "erasure", "user_id": "lovelace"} | change)
    assert response.status_code == 422
    assert [(e["code"], e["pointer"]) for e in json.loads(response.content)["errors"]] == [(code, pointer)]
    assert opened(project) == []


def test_without_the_scope_nothing_is_opened(project: Project) -> None:
    _, text = make_key(project, ["facts:read"])
    response = post("privacy/requests", text, {"kind": "erasure", "user_id": "lovelace"})
    assert_problem(response, 403, "not_allowed")
    assert opened(project) == []
