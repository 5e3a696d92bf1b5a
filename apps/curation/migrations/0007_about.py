"""What waits about one subject, and how many proposals were made of a trace."""

from django.db import migrations, models

from apps.core.sqlfiles import load

FILL = """
UPDATE traces_trace t SET proposal_count = c.n
FROM (SELECT project_id, source_trace_id, count(*) AS n FROM curation_proposal
      WHERE source_trace_id IS NOT NULL GROUP BY project_id, source_trace_id) c
WHERE c.project_id = t.project_id AND c.source_trace_id = t.trace_id;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0006_changes"),
        ("facts", "0006_about"),
        ("tenancy", "0003_sought"),
        ("traces", "0006_kept"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                condition=models.Q(("state__in", ["pending", "quarantined"]), ("subject__isnull", False)),
                fields=["project", "subject", "-created_at", "-id"],
                include=("sensitivity",),
                name="curation_proposal_about_idx",
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(
            load("apps.curation", "kept"),
            "DROP TRIGGER keep_count ON curation_proposal; DROP FUNCTION curation_keep_count()",
        ),
    ]
