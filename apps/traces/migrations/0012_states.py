"""Traces that wait, that are tried again and that are given up are each listed along an index of their own."""

from django.db import migrations, models

OPEN = models.Q(extracted_at__isnull=True, origin="")


class Migration(migrations.Migration):
    dependencies = [("traces", "0011_summaries"), ("tenancy", "0008_agent_versions")]

    operations = [
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & models.Q(not_before__isnull=True, dead_reason=""),
                name="traces_trace_waiting_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & models.Q(not_before__isnull=False, dead_reason=""),
                name="traces_trace_failing_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="trace",
            index=models.Index(
                fields=["project", "started_at", "id"],
                condition=OPEN & (~models.Q(dead_reason="") | models.Q(attempts__gte=5)),
                name="traces_trace_dead_idx",
            ),
        ),
    ]
