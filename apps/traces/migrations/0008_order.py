"""Spans and messages of one trace in order, from indexes alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0004_trace_tombstones"),
        ("traces", "0007_kept_after"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="message",
            name="traces_message_trace_idx",
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["project", "trace_id", "at", "id"], name="traces_message_order_idx"),
        ),
        migrations.AddIndex(
            model_name="span",
            index=models.Index(
                fields=["project", "trace_id", "started_at", "-ended_at", "id"],
                include=("span_id", "parent_span_id", "name", "status"),
                name="traces_span_order_idx",
            ),
        ),
    ]
