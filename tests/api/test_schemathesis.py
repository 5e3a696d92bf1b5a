"""The committed OpenAPI file put to the test over real HTTP: what it allows is answered as it says, and what it does not
allow is refused.

8 examples of each kind and operation; 60 in `make faults`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from pytest_django import DjangoDbBlocker
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from apps.access.scopes import SCOPES
from tests.api.bad import TOLERANT
from tests.conftest import own_database
from tests.factories import PASSWORD, make_agent, make_fact, make_key, make_project, make_user
from tests.faults.scale import report, scaled
from tests.live import Live, run_server
from tests.servers import ROOT

EXAMPLES = scaled("EXAMPLES", 8, 60)
FILE = schemathesis.openapi.from_path(ROOT / "docs" / "openapi.yaml")
OPERATIONS = {found.ok().label: found.ok() for found in FILE.get_all_operations()}
CONFORMS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
FORGIVING = {f"{method} /v1/{path}" for method, path in TOLERANT}
"""What an SDK sends is taken whatever else stands in it."""


@dataclass
class Stage:
    server: Live
    project: Any
    token: str
    key: str = ""
    statuses: Counter[int] = field(default_factory=Counter)

    def headers_for(self, case: Case) -> dict[str, str]:
        if case.path.startswith("/api/v1/"):
            return {"Authorization": f"Bearer {self.token}"}
        if case.path.endswith("keys/revoke") or not self.key:
            self.key = make_key(self.project, SCOPES, write_mode="direct")[1]
        return {"X-API-Key": self.key}


@pytest.fixture(scope="module")
def stage(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch) as name:
        project = make_project("acme")
        agent = make_agent(project, "support")
        make_fact(project, "Refunds take five days.", agent=agent)
        user = make_user(project, "curator", "admin", "privacy_officer")
        server = run_server(name, tmp_path_factory.mktemp("file"))
        try:
            login = {"email": user.email, "password": PASSWORD}
            token = httpx.post(f"{server.url}/api/v1/auth/login", json=login, timeout=30).json()["access_token"]
            yield Stage(server, project, token)
        finally:
            server.stop()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
@pytest.mark.parametrize("label", OPERATIONS)
def test_the_file_is_kept_to(stage: Stage, label: str, mode: GenerationMode) -> None:
    operation = OPERATIONS[label]
    looked_at = [*CONFORMS]
    if mode is GenerationMode.NEGATIVE and label not in FORGIVING and "/api/v1/" not in label:
        looked_at.append(checks.negative_data_rejection)
    before = sum(stage.statuses.values())

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def conforms(case: Case) -> None:
        sent = stage.headers_for(case)
        answer = case.call(base_url=stage.server.url, headers=sent, timeout=30)
        stage.statuses[answer.status_code] += 1
        if answer.status_code == 401 and label != "POST /api/v1/auth/login":
            stage.key = ""  # a generated header was no key
        case.validate_response(answer, checks=looked_at, headers=sent)

    conforms()
    assert sum(stage.statuses.values()) > before


def test_how_much_was_asked(stage: Stage) -> None:
    report("OpenAPI file", operations=len(OPERATIONS), requests=sum(stage.statuses.values()), statuses=dict(sorted(stage.statuses.items())))  # fmt: skip
    assert not [status for status in stage.statuses if status >= 500]
