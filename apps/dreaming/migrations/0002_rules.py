"""Row-level security, composite keys, the legal moves of runs and changes, and the owner's functions."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security
from apps.core.sqlfiles import load

TABLES = [
    "dreaming_dreamsettings", "dreaming_dreamrun", "dreaming_dreamphase", "dreaming_dreamchange", "dreaming_dreamtarget",
    "dreaming_dreamgate",
]  # fmt: skip
RUN_PAIRS = [
    "proposed>settled", "proposed>undone", "queued>cancelled", "queued>failed", "queued>running", "running>cancelled",
    "running>failed", "running>proposed", "running>settled", "settled>proposed", "settled>undone",
]  # fmt: skip
CHANGE_PAIRS = [
    "accepted>applied", "accepted>conflicted", "accepted>pending", "accepted>rejected", "applied>undone",
    "pending>accepted", "pending>applied", "pending>conflicted", "pending>rejected", "rejected>accepted",
    "rejected>pending",
]  # fmt: skip


def _arguments(pairs: list[str]) -> str:
    return ", ".join(f"'{pair}'" for pair in pairs)


class Migration(migrations.Migration):
    dependencies = [
        ("dreaming", "0001_initial"),
        ("facts", "0011_lean"),
        ("traces", "0008_order"),
    ]
    operations = [
        *[composite_unique(table) for table in TABLES],
        *[row_security(table) for table in TABLES],
        composite_fk("dreaming_dreamrun", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        composite_fk("dreaming_dreamrun", "session_id", "traces_session", on_delete="SET NULL"),
        composite_fk("dreaming_dreamphase", "run_id", "dreaming_dreamrun", on_delete="CASCADE", index=False),
        composite_fk("dreaming_dreamchange", "run_id", "dreaming_dreamrun", on_delete="CASCADE", index=False),
        composite_fk("dreaming_dreamchange", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        composite_fk("dreaming_dreamchange", "fact_id", "facts_fact", on_delete="SET NULL"),
        composite_fk("dreaming_dreamtarget", "run_id", "dreaming_dreamrun", on_delete="CASCADE"),
        composite_fk("dreaming_dreamtarget", "change_id", "dreaming_dreamchange", on_delete="CASCADE", index=False),
        composite_fk("dreaming_dreamtarget", "fact_id", "facts_fact", on_delete="CASCADE"),
        composite_fk("dreaming_dreamgate", "subject_id", "tenancy_subject", on_delete="CASCADE", index=False),
        migrations.RunSQL(
            load("apps.dreaming", "legal_moves")
            + "CREATE TRIGGER dreaming_legal_run BEFORE UPDATE ON dreaming_dreamrun FOR EACH ROW"
            f" EXECUTE FUNCTION dreaming_legal_run({_arguments(RUN_PAIRS)});"
            "CREATE TRIGGER dreaming_legal_change BEFORE UPDATE ON dreaming_dreamchange FOR EACH ROW"
            f" EXECUTE FUNCTION dreaming_legal_change({_arguments(CHANGE_PAIRS)});",
            "DROP FUNCTION dreaming_legal_run(), dreaming_legal_change() CASCADE;",
        ),
        migrations.RunSQL(
            load("apps.dreaming", "claim_dreams"),
            "DROP FUNCTION claim_dreams(int, interval, text); DROP FUNCTION projects_that_dream();",
        ),
    ]
