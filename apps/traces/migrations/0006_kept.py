"""What lists show of a trace, kept on it, and their order for each filter."""

from django.db import migrations, models

from apps.core.sqlfiles import load

FILL = """
UPDATE traces_trace t SET message_count = c.n, first_words = coalesce(c.first, '')
FROM (SELECT project_id, trace_id, count(*) AS n,
             (array_agg(left(content, 200) ORDER BY at, id) FILTER (WHERE role = 'user'))[1] AS first
      FROM traces_message GROUP BY project_id, trace_id) c
WHERE c.project_id = t.project_id AND c.trace_id = t.trace_id;
UPDATE tenancy_subject s SET last_seen_at = c.at
FROM (SELECT project_id, subject_id, max(started_at) AS at FROM traces_trace
      WHERE subject_id IS NOT NULL GROUP BY project_id, subject_id) c
WHERE c.project_id = s.project_id AND c.subject_id = s.id;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0003_sought"),
        ("traces", "0005_claim"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="trace",
            name="traces_trace_subject_idx",
        ),
        migrations.AddField(
            model_name="trace",
            name="first_words",
            field=models.CharField(db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="trace",
            name="message_count",
            field=models.IntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name="trace",
            name="proposal_count",
            field=models.IntegerField(db_default=0),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["project", "subject", "-started_at", "-id"], name="traces_trace_about_idx"),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["project", "session", "-started_at", "-id"], name="traces_trace_session_idx"),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(fields=["project", "agent_name", "-started_at", "-id"], name="traces_trace_agent_idx"),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                condition=models.Q(("proposal_count__gt", 0)),
                fields=["project", "-started_at", "-id"],
                name="traces_trace_learned_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                condition=models.Q(("extracted_at__isnull", True), ("origin", "")),
                fields=["project", "-started_at", "-id"],
                name="traces_trace_open_idx",
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(
            load("apps.traces", "kept"),
            "DROP TRIGGER keep_words ON traces_message; DROP FUNCTION traces_keep_words()",
        ),
    ]
