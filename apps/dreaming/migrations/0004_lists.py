"""The list of runs and its counts are walked without reading them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dreaming", "0003_run_states"),
        ("facts", "0015_corrected"),
        ("tenancy", "0009_agents_called"),
        ("traces", "0011_summaries"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="dreamchange",
            name="dreaming_change_run_idx",
        ),
        migrations.RemoveIndex(
            model_name="dreamrun",
            name="dreaming_run_list_idx",
        ),
        migrations.RemoveIndex(
            model_name="dreamrun",
            name="dreaming_run_place_idx",
        ),
        migrations.AddIndex(
            model_name="dreamchange",
            index=models.Index(
                fields=["project", "run", "id"],
                include=("op", "state", "safe", "sensitivity"),
                name="dreaming_change_run_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="dreamrun",
            index=models.Index(
                fields=["project", "id"], include=("state", "scope", "scope_id", "origin"), name="dreaming_run_list_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="dreamrun",
            index=models.Index(
                fields=["project", "scope", "scope_id", "-id"],
                include=("state", "origin"),
                name="dreaming_run_place_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="dreamrun",
            index=models.Index(
                condition=models.Q(("dry_run", False), ("state", "proposed")),
                fields=["project", "id"],
                name="dreaming_run_waiting_idx",
            ),
        ),
    ]
