"""Row-level security and composite keys."""

from django.db import migrations

from apps.core.ddl import composite_fk, composite_unique, row_security


class Migration(migrations.Migration):
    dependencies = [("extraction", "0001_initial"), ("traces", "0002_rules")]
    operations = [
        composite_unique("extraction_extractionrun"),
        row_security("extraction_extractionrun"),
        composite_fk(
            "extraction_extractionrun", "trace_id", "traces_trace", to_columns="trace_id", on_delete="CASCADE"
        ),
    ]
