"""What a process keeps between requests is kept by project: every cache is named here, with what it is found by."""

import ast
from pathlib import Path

import pytest

from apps.recall import question
from tests.factories import make_project
from tests.servers import ROOT

KEPT = {
    "apps/access/key_cache.py:_known": "a keyed hash of the key, which belongs to one project",
    "apps/recall/question.py:_seen": "project, model and text",
    "apps/recall/serving.py:_kept": "nothing: which models serve is one answer for all projects",
    "apps/recall/embedding.py:_said": "a code: when it was last said in the log",
    "apps/api/middleware.py:_hosts": "names of hosts served here",
    "apps/api/middleware.py:_match": "a path; what it finds is a view",
    "apps/recall/listing.py:_epoch": "a second",
    "apps/console/oidc.py:_discovered": "the issuer: what the operator's provider says of itself",
}
"""What outlives a request in a web process and is filled by requests, with its key."""


def module_caches(path: Path) -> set[str]:
    """Names in a module that look like a store filled at run time: functions under a cache, and private collections,
    instances and None at the top that some function writes to."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found, tops = set(), dict[str, ast.expr]()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names = {ast.unparse(one).split("(")[0].rpartition(".")[2] for one in node.decorator_list}
            if names & {"lru_cache", "cache"}:
                found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            tops |= {one.id: node.value for one in targets if isinstance(one, ast.Name)}
    changing = {"add", "append", "setdefault", "update", "pop", "popitem", "move_to_end", "keep", "clear", "put"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found |= set(node.names)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in changing:
            base = node.func.value
            if isinstance(base, ast.Name) and base.id in tops:
                found.add(base.id)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            found |= {node.value.id} & set(tops)
    return found


def test_every_cache_of_the_serving_rooms_is_named_with_its_key() -> None:
    rooms = ["api", "recall", "access", "facts", "tenancy", "curation", "console", "insight", "traces", "dreaming"]
    found = set()
    for room in rooms:
        for path in sorted((ROOT / "apps" / room).rglob("*.py")):
            if "migrations" not in path.parts:
                found |= {f"{path.relative_to(ROOT)}:{name}" for name in module_caches(path)}
    assert found == set(KEPT)


def test_the_shared_cache_holds_nothing_of_a_project() -> None:
    """Redis is used by the readiness probe, and by what a model's failures are counted in: by the model, and the
    requests of a key that has a limit: by the key."""
    users = []
    for path in sorted((ROOT / "apps").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "django.core.cache":
                users.append(str(path.relative_to(ROOT)))
    assert users == ["apps/console/views/health.py", "apps/core/rates.py", "apps/inference/calls.py"]


class Counting:
    name, dims = "counting", 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [[1.0, 0.0, 0.0] for _ in texts]


@pytest.mark.django_db
def test_a_question_asked_in_one_project_is_new_in_another() -> None:
    """Else the time of an answer would tell what somebody else asked."""
    one, two = make_project("one"), make_project("two")
    model = Counting()
    for project, expected in ((one, 1), (one, 1), (two, 2), (two, 2)):
        vector, degraded = question._vector(project.id, model, None, "Where is the quokka?")
        assert (vector, degraded) == ([1.0, 0.0, 0.0], "")
        assert len(model.asked) == expected
