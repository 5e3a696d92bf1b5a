"""The committed OpenAPI file says what the code does, and leaves no route out."""

import re
from pathlib import Path
from typing import Any

import yaml
from django.core.management import call_command

from tests.routes import API, HOSTED, methods_of
from tests.servers import ROOT

COMMITTED = ROOT / "docs" / "openapi.yaml"


def committed() -> Any:
    return yaml.safe_load(COMMITTED.read_text(encoding="utf-8"))


def test_the_committed_file_is_the_one_the_code_describes(tmp_path: Path) -> None:
    now = tmp_path / "openapi.yaml"
    call_command("spectacular", "--file", str(now), "--fail-on-warn", "--validate")
    assert now.read_text(encoding="utf-8") == COMMITTED.read_text(encoding="utf-8"), (
        "Write it anew: manage.py spectacular --file docs/openapi.yaml"
    )


def test_every_route_is_in_the_file_and_nothing_else() -> None:
    # tests/api/test_routes.py holds the table itself to the URL configuration.
    described = {(path, method) for path, item in committed()["paths"].items() for method in item}
    rows = [(path, row) for path, route in API.items() for row in methods_of(route)]
    spelled = [(re.sub(r"<\w+:(\w+)>", r"{\1}", path), row.method.lower()) for path, row in rows]
    spelled_hosted = [(re.sub(r"<\w+:(\w+)>", r"{\1}", path), method.lower()) for path, (method, _) in HOSTED.items()]
    hosted = {(f"/api/v1/{path}", method) for path, method in spelled_hosted}
    assert described == {(f"/v1/{path}", method) for path, method in spelled} | hosted


def test_every_path_names_both_places_of_a_key_and_the_answers_all_have() -> None:
    for path, item in committed()["paths"].items():
        if path.startswith("/api/v1/"):
            continue  # the hosted plane's, for people and in its own form
        for method, operation in item.items():
            assert operation["security"] == [{"key": []}, {"bearer": []}], path
            answers = operation["responses"]
            assert {"401", "503"} < set(answers), path
            for status, answer in answers.items():
                # Whoever speaks OpenTelemetry's binary form hears it too.
                (kind,) = set(answer["content"]) - ({"application/x-protobuf"} if path == "/v1/traces" else set())
                assert kind == ("application/json" if status[0] == "2" else "application/problem+json"), path
            assert ("requestBody" in operation) == (method in {"post", "put", "patch"})
