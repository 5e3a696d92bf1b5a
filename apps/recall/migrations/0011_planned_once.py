"""The flat read is planned once in each connection."""

from django.db import migrations

# Planning anew for each reader takes four times as long as the read itself. The plan is the same for all: each scope
# along its index, which is what benchmarks/plan.py and facts_read.py see to.
PLANNED_ONCE = "ALTER FUNCTION told_flat(recall_reader, int) SET plan_cache_mode = force_generic_plan"
PLANNED_EACH_TIME = "ALTER FUNCTION told_flat(recall_reader, int) RESET plan_cache_mode"


class Migration(migrations.Migration):
    dependencies = [("recall", "0010_brief")]
    operations = [migrations.RunSQL(PLANNED_ONCE, PLANNED_EACH_TIME)]
