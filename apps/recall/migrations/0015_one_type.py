"""A read of an earlier moment and one of today counted in numbers of two types: whichever a connection answered second was
refused from then on."""

from django.db import migrations

from apps.core.sqlfiles import load

BEGIN, END = "CREATE OR REPLACE FUNCTION told_ranked", "END $$;"
COUNTED, AS_COUNTS = "0 AS n, 0 AS apart", "0::bigint AS n, 0::bigint AS apart"


def told_ranked() -> str:
    """The function as it stood, with counts of one type."""
    text = load("apps.recall", "explained_lean")
    text = text[text.index(BEGIN) :]
    text = text[: text.index(END) + len(END)]
    if COUNTED not in text:
        raise ValueError("told_ranked is not what it was.")
    return text.replace(COUNTED, AS_COUNTS)


class Migration(migrations.Migration):
    dependencies = [("recall", "0014_told")]
    operations = [migrations.RunSQL(told_ranked(), migrations.RunSQL.noop)]
