"""The OpenAPI file: what REST framework's views say of themselves, and by hand what plain views can't."""

from importlib import resources
from typing import Any

import yaml

from apps.api.openapi.schemas import PROBLEM


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
    for item in paths.values():
        for operation in item.values():
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True  # drf-spectacular knows that of serializers alone
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM
    return result
