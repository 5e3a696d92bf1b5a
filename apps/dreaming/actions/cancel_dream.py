"""End a run that waits or goes on; what it staged goes with it."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.dreaming.locks import locked_run
from apps.dreaming.models import DreamRun
from apps.dreaming.stages import end


def cancel_dream(*, actor: Actor, project_id: int, run_id: int) -> DreamRun:
    """A worker that is at it writes nothing more. Raises NotFound, Conflict ``wrong_state`` for one that has ended."""
    require(actor, "dreams.cancel", project_id=project_id)
    with bind(project_id):
        run = locked_run(project_id, run_id)
        if not run.is_open:
            raise Conflict("wrong_state", f"The run is {run.state}; there is nothing to cancel.")
        end(actor, run, "cancelled")
    return run
