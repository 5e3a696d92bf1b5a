"""How the two places of a key are described."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "apps.api.auth.KeyAuthentication"
    name = ["key", "bearer"]

    def get_security_definition(self, auto_schema: Any) -> Any:
        return [
            {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            {"type": "http", "scheme": "bearer"},
        ]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        return [{name: []} for name in self.name]  # a list: either one is enough
