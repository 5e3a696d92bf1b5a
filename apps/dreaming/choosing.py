"""Which engine does a run."""

from collections.abc import Callable

from apps.dreaming.adapters.llm import LLMEngine
from apps.dreaming.engine import Engine, EngineFailed
from apps.dreaming.models import DreamRun
from apps.dreaming.rules import RulesEngine
from apps.inference.chat import model_choice
from apps.inference.errors import ModelNotConfigured

EngineOf = Callable[[DreamRun], Engine]


def engine_for(run: DreamRun) -> Engine:
    """The engine that the run was asked for with. Raises EngineFailed where the operator no longer offers its model."""
    if run.engine == "rules":
        return RulesEngine()
    try:
        return LLMEngine(model_choice(run.model))
    except ModelNotConfigured as error:
        raise EngineFailed(error.code, counts=False) from None
