"""The OpenAPI file: what REST framework's views say of themselves, and by hand what plain views can't."""

from importlib import resources
from typing import Any

import yaml

from apps.api.openapi.schemas import PROBLEM

LIMITED = {
    "description": "The key has a limit of its own, and it is used up for now.",
    "headers": {"Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "seconds"}},
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def add_plain_paths(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """drf-spectacular's hook: adds `paths.yaml`, and says once what stands under both prefixes."""
    plain = yaml.safe_load((resources.files(__package__) / "paths.yaml").read_text(encoding="utf-8"))
    paths = {path: item for path, item in result["paths"].items() if path.startswith("/v1/")}
    for path, item in plain.items():
        paths[path] = item | paths.get(path, {})
    result["servers"] = [
        {"url": "/public", "description": "as agents spell it: /public/v1/…"},
        {"url": "/", "description": "as back ends spell it: /v1/…"},
    ]
    result["paths"] = dict(sorted(paths.items()))
    for path, item in paths.items():
        for operation in item.values():
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True  # drf-spectacular knows that of serializers alone
            if path.startswith("/v1/") and path != "/v1/keys/revoke":
                operation["responses"].setdefault("429", LIMITED)
                operation["responses"] = dict(sorted(operation["responses"].items()))
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    return result
