"""Which engine does a run."""

from collections.abc import Callable

from apps.dreaming.engine import Engine, EngineFailed
from apps.dreaming.models import DreamRun
from apps.dreaming.rules import RulesEngine

EngineOf = Callable[[DreamRun], Engine]


def engine_for(run: DreamRun) -> Engine:
    """The engine that the run was asked for with. Raises EngineFailed where the operator no longer offers its model."""
    if run.engine == "rules":
        return RulesEngine()
    raise EngineFailed("model_not_configured", counts=False)
