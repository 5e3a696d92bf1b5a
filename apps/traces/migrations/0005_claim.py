"""Claiming a trace no longer counts as an attempt at it."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("traces", "0004_by_hand")]
    # Backwards the function of before would only count more.
    operations = [migrations.RunSQL(load("apps.traces", "claim_unbegun"), migrations.RunSQL.noop)]
