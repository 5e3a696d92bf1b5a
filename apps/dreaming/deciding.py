"""Whether a run's changes may be decided, and what a run is once they are."""

from apps.core.errors import Conflict
from apps.dreaming.models import DreamRun
from apps.dreaming.queries import tally_of
from apps.dreaming.states import RUN_MOVES, check_move


def ready(run: DreamRun, *, apply: bool = False) -> None:
    """Raises Conflict ``wrong_state`` for a run that goes on or came to nothing, and, to apply, ``dry_run``."""
    if run.state not in ("proposed", "settled"):
        raise Conflict("wrong_state", f"The run is {run.state}; there is nothing to decide in it.")
    if apply and run.dry_run:
        raise Conflict("dry_run", "This run only shows what it would change. Start one that may be applied.")


def settle_run(run: DreamRun) -> None:
    """A locked run is settled when none of its changes is undecided, and open again when one is."""
    tally = tally_of(run.project_id, [run.id]).get(run.id)
    state = "proposed" if tally and tally.undecided else "settled"
    if state != run.state:
        check_move(RUN_MOVES, run.state, state, "run")
        run.state = state
        run.save(update_fields=["state"])
