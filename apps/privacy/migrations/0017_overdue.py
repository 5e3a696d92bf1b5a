"""Which requests are past their date is recorded, for whoever follows the audit."""

from django.db import migrations

from apps.core.sqlfiles import load


class Migration(migrations.Migration):
    dependencies = [("privacy", "0016_held_names"), ("audit", "0004_denied")]
    operations = [migrations.RunSQL(load("apps.privacy", "overdue_requests"), "DROP FUNCTION overdue_requests(int);")]
