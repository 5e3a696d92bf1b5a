"""The plane's HTTP API as far as the tools need it, and its refusals in words that a model may read."""

from typing import Any

import httpx2
from mcp.server.mcpserver.exceptions import ToolError

SECONDS = 20.0


class Plane:
    """One plane for any number of callers; each call names the key it is made with."""

    def __init__(self, url: str) -> None:
        self._http = httpx2.AsyncClient(base_url=url.rstrip("/"), timeout=SECONDS, follow_redirects=False)

    async def get(self, key: str, path: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self._ask("GET", key, path, params={name: str(v) for name, v in params.items() if v is not None})

    async def post(self, key: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return await self._ask(
            "POST", key, path, json={name: value for name, value in body.items() if value is not None}
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, method: str, key: str, path: str, **sent: Any) -> dict[str, Any]:
        """The answer. Raises ToolError with the plane's own words for a refusal, and without them where there are none. A
        write is never sent twice: whoever is told that the plane was not reached may ask again, adding is idempotent."""
        try:
            answer = await self._http.request(method, f"/v1/{path}", headers={"X-API-Key": key}, **sent)
        except httpx2.TimeoutException:
            raise ToolError(f"The memory did not answer within {SECONDS:.0f} seconds.") from None
        except httpx2.HTTPError:
            raise ToolError("The memory can't be reached just now.") from None
        try:
            told = answer.json()
        except ValueError:
            told = None
        if answer.status_code < 300 and isinstance(told, dict):
            return told
        raise ToolError(_words(answer.status_code, told))


def _words(status: int, problem: Any) -> str:
    if not isinstance(problem, dict) or not isinstance(problem.get("detail"), str):
        return f"The memory answered {status} without a reason."
    faults = problem.get("errors")
    places = [
        f"{str(each.get('pointer') or each.get('parameter') or '').lstrip('/')}: {each.get('detail', '')}"
        for each in (faults if isinstance(faults, list) else [])
        if isinstance(each, dict)
    ]
    said = [problem["detail"], *(place for place in places if problem["detail"] not in place)]
    code = str(problem.get("type", "")).rpartition(":")[2]
    return f"{' '.join(said)} ({code})"
