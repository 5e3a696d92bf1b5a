"""Do the phase that a claimed run stands at."""

from apps.access.actor import system_actor
from apps.access.policies import require
from apps.core.transactions import bind
from apps.dreaming import stages
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.choosing import EngineOf, engine_for
from apps.dreaming.engine import EngineFailed
from apps.dreaming.leases import Claim
from apps.dreaming.models import DreamChange, DreamRun
from apps.dreaming.queries import settings_of


def run_phase(*, claim: Claim, engine_of: EngineOf = engine_for) -> DreamRun | None:
    """The run after its phase, or None when there was nothing to do: the lease was lost, or the run ended before.

    An engine that waits for a model runs with no transaction and no connection held. Of a run that ended here, what the
    project's policy lets through without a person is applied.
    """
    actor = system_actor("dreaming", claim.project_id)
    require(actor, "dreams.run", project_id=claim.project_id)
    found = stages.begin(actor, claim, engine_of)
    if found is None:
        return None
    begun, engine = found
    try:
        report = stages.work_out(begun, engine) if engine.waits else None
        run = stages.finish(actor, begun, engine, report)
    except EngineFailed as error:
        return stages.failed(actor, begun, error)
    if run is not None and run.state == "proposed" and not run.dry_run:
        _apply_automatic(claim.project_id, run.id)
    return run


def _apply_automatic(project_id: int, run_id: int) -> None:
    with bind(project_id):
        chosen = settings_of(project_id)
        wanted = [name for name, on in (("merge", chosen.auto_exact), ("add", chosen.auto_own)) if on]
        rows = DreamChange.objects.filter(
            project_id=project_id, run_id=run_id, state="pending", automatic=True, op__in=wanted
        )
        ids = list(rows.values_list("id", flat=True)) if wanted else []
    if ids:
        apply_changes(actor=system_actor("dreaming", project_id), project_id=project_id, run_id=run_id, change_ids=ids)
