"""The chain is append-only for everybody, and each project sees its own."""

from typing import Any

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.core.ddl import refuse_writes

# Events without a project are the installation's: seen while no project is bound, and only then.
POLICY = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY project ON {table}
    USING (project_id IS NOT DISTINCT FROM nullif(current_setting('app.project_id', true), '')::bigint)
    WITH CHECK (project_id IS NOT DISTINCT FROM nullif(current_setting('app.project_id', true), '')::bigint);
CREATE POLICY owner ON {table} TO CURRENT_USER USING (true) WITH CHECK (true);
"""
REVERSE = """
DROP POLICY project ON {table};
DROP POLICY owner ON {table};
ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
"""


def revoke(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    role = schema_editor.connection.ops.quote_name(str(settings.DATABASES["default"]["USER"]))
    schema_editor.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON audit_auditevent FROM {role}")
    schema_editor.execute(f"REVOKE DELETE, TRUNCATE ON audit_audithead FROM {role}")


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("core", "0001_roles")]
    operations = [
        migrations.RunSQL(POLICY.format(table="audit_auditevent"), REVERSE.format(table="audit_auditevent")),
        migrations.RunSQL(POLICY.format(table="audit_audithead"), REVERSE.format(table="audit_audithead")),
        refuse_writes("audit_auditevent", message="audit events are never changed or deleted"),
        migrations.RunPython(revoke, migrations.RunPython.noop),
    ]
