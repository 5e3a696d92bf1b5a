"""Extensions, and what the application role gets on every table that comes after, third-party apps' included."""

from typing import Any

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def grant(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    role = schema_editor.connection.ops.quote_name(str(settings.DATABASES["default"]["USER"]))
    schema_editor.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
    schema_editor.execute(
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}"
    )
    schema_editor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO {role}")
    # Functions are for everybody by default; ours cross projects, so each is granted by name.
    schema_editor.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    schema_editor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO {role}")
    # Made by the migration recorder before this one could say how: the application may not pretend to have migrated.
    schema_editor.execute(f"GRANT SELECT ON django_migrations TO {role}")


class Migration(migrations.Migration):
    run_before = [
        ("contenttypes", "0001_initial"),
        ("auth", "0001_initial"),
        ("sessions", "0001_initial"),
    ]
    operations = [
        migrations.RunSQL(
            "CREATE EXTENSION IF NOT EXISTS vector; CREATE EXTENSION IF NOT EXISTS pg_trgm;",
            migrations.RunSQL.noop,
        ),
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
