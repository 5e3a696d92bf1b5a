"""What a project chose to file under goes to the one list of its categories; `general` is always in it."""

from django.db import migrations

MOVE = """
INSERT INTO facts_category (project_id, name, now_called)
SELECT s.project_id, c.name, '' FROM extraction_extractionsettings s,
    LATERAL unnest(s.categories || CASE WHEN 'general' = ANY (s.categories) THEN '{}' ELSE '{general}' END::varchar[])
        WITH ORDINALITY c(name, place)
WHERE cardinality(s.categories) > 0 ORDER BY s.project_id, c.place
"""
BACK = """
UPDATE extraction_extractionsettings s SET categories = coalesce((
    SELECT array_agg(c.name ORDER BY c.id) FROM facts_category c WHERE c.project_id = s.project_id AND c.retired_at IS NULL),
    '{}')
"""


class Migration(migrations.Migration):
    dependencies = [("extraction", "0007_days"), ("facts", "0012_categories")]

    operations = [
        migrations.RunSQL(MOVE, BACK),
        migrations.RemoveField(model_name="extractionsettings", name="categories"),
    ]
