"""How an SDK connects: its key, the policy, the instance, its agents. These bodies are the SDK's: it may send more
fields than are read here."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.access.actions.enroll_instance import enroll_instance
from apps.access.actions.register_agent import register_agent
from apps.access.policies import require
from apps.api.openapi import schemas
from apps.api.parsers import WireJSONParser, object_of, wire_text
from apps.api.views.base import KeyView
from apps.core.errors import Invalid

# Rules that the plane gives agents for their tools and guardrails; it has none, and says so, because an SDK that fails
# closed refuses its tools without an answer.
NO_RULES: dict[str, Any] = {"version": "1", "approval_policies": [], "guardrail_rules": []}


class CheckView(KeyView):
    """Whose key this is."""

    @extend_schema(
        summary="Check a key",
        description="The project of the key and its scopes, sorted. Any valid key may ask.",
        responses=schemas.answers({200: schemas.CHECK}),
    )
    def get(self, request: Request) -> Response:
        return Response(
            {
                "domain_id": str(self.key.project_id),
                "project_id": self.key.project.slug,
                "scopes": sorted(self.key.scopes),
            }
        )


class PolicyView(KeyView):
    """The rules agents follow."""

    @extend_schema(
        summary="Read the policy",
        description="Approval policies and guardrail rules for agents. Any valid key may ask.",
        responses=schemas.answers({200: schemas.POLICY}),
    )
    def get(self, request: Request) -> Response:
        return Response(NO_RULES)


class EnrollView(KeyView):
    """An SDK instance says that it is there."""

    parser_classes = [WireJSONParser]

    @extend_schema(
        summary="Enroll an SDK instance",
        description="Upsert by `instance_id`. Needs one of the scopes agent:write, traces:write, facts:read. "
        "Unknown fields are ignored.",
        request={"application/json": schemas.ENROLL},
        responses=schemas.answers({200: schemas.ENROLLED}, 400, 403, 413, 415, 422),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "instances.enroll", project_id=self.key.project_id)
        data = object_of(request)
        instance = enroll_instance(
            actor=self.actor,
            project_id=self.key.project_id,
            instance_id=wire_text(data, "instance_id"),
            hostname=wire_text(data, "hostname", ""),
            sdk_version=wire_text(data, "sdk_version", ""),
            fail_mode=wire_text(data, "fail_mode", "open"),
            governed_agent_ids=_texts(data, "governed_agent_ids"),
        )
        return Response({"instance_id": instance.instance_id, "fail_mode": instance.fail_mode})


class AgentsView(KeyView):
    """An agent makes itself known."""

    parser_classes = [WireJSONParser]

    @extend_schema(
        summary="Register an agent",
        description="Upsert by name within the key's project; a changed definition raises the version by one. Needs "
        "the scope agent:write. Every field but the name, the type and the prompt is kept as the agent's definition.",
        request={"application/json": schemas.AGENT},
        responses=schemas.answers({200: schemas.REGISTERED, 201: schemas.REGISTERED}, 400, 403, 413, 415, 422),
    )
    def post(self, request: Request) -> Response:
        require(self.actor, "agents.register", project_id=self.key.project_id)
        data = object_of(request)
        agent, created = register_agent(
            actor=self.actor,
            project_id=self.key.project_id,
            name=wire_text(data, "name"),
            agent_type=wire_text(data, "agent_type", "single"),
            system_prompt=wire_text(data, "system_prompt", ""),
            definition={
                name: value for name, value in data.items() if name not in {"name", "agent_type", "system_prompt"}
            },
        )
        answer = {
            "id": str(agent.id),
            "name": agent.name,
            "version": agent.version,
            "project_id": self.key.project.slug,
        }
        return Response(answer, status=201 if created else 200)


def _texts(data: dict[str, Any], name: str) -> list[str]:
    value = data.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Invalid("wrong_type", "Has to be a list of texts.", pointer=f"/{name}")
    return value
