"""Conflicts of a name are found and counted from indexes alone; facts near a statement by the place's own words."""

from django.db import migrations, models

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0013_of_one_run"),
        ("facts", "0017_words_by_place"),
        ("tenancy", "0008_agent_versions"),
    ]

    operations = [
        migrations.RunSQL(load("apps.curation", "near_facts_of_place"), migrations.RunSQL.noop),
        migrations.RemoveIndex(model_name="conflict", name="curation_conflict_subject_idx"),
        migrations.RemoveIndex(model_name="conflict", name="curation_conflict_attr_idx"),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                fields=["project", "attribute", "id"], include=("settled_at",), name="curation_conflict_attr_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                fields=["project", "subject", "id"], include=("settled_at",), name="curation_conflict_subject_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                fields=["project", "agent", "id"], include=("settled_at",), name="curation_conflict_agent_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="conflict",
            index=models.Index(
                fields=["project", "scope_id", "id"],
                include=("settled_at",),
                condition=~models.Q(scope_id=""),
                name="curation_conflict_place_idx",
            ),
        ),
        # The one on the agent begins as this one did.
        migrations.RunSQL(
            "DROP INDEX curation_conflict_agent_id_fk_idx",
            "CREATE INDEX curation_conflict_agent_id_fk_idx ON curation_conflict (project_id, agent_id)",
        ),
    ]
