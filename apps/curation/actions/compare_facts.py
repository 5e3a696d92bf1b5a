"""Look for duplicates of what was appended: a worker that pulls, so that writing a fact waits for no comparison."""

import time
from itertools import groupby

from django.db import connection

from apps.core.transactions import bind, unit
from apps.curation.duplicates import alike_to, put_together
from apps.curation.locks import comparing
from apps.curation.models import Uncompared
from apps.facts.models import Fact

AT_ONCE = 200


def compare_facts(*, seconds: float = 10) -> int:
    """Compare facts that wait with what lies beside them, oldest first, and group those that seem to say the same;
    returns how many were compared. Goes on until nothing is left or ``seconds`` are over.

    One fact is one transaction, and one comparer works in a project at a time: another one goes on to the next
    project. Nothing is decided here: a group is a question to a person.
    """
    end, compared = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        with unit(), connection.cursor() as cursor:
            cursor.execute("SELECT project_id, fact_id FROM facts_to_compare(%s)", [AT_ONCE])
            waiting = sorted(cursor.fetchall())
        before = compared
        for project_id, rows in groupby(waiting, key=lambda row: row[0]):
            for _, fact_id in rows:
                if time.monotonic() >= end or not (done := _compare(project_id, fact_id)):
                    break
                compared += done
        if compared == before:
            break
    return compared


def _compare(project_id: int, fact_id: int) -> bool:
    """Whether the fact was taken from the queue; not while somebody else compares in its project."""
    with bind(project_id):
        if not comparing(project_id):
            return False
        Uncompared.objects.filter(project_id=project_id, fact_id=fact_id).delete()
        fact = Fact.objects.in_project(project_id).current().filter(id=fact_id).first()
        if fact is None:
            return True
        found = alike_to(fact)
        if found:
            # Shared locks: whoever closes one of them waits, and then finds it in its group.
            ids = [fact.id, *(one.fact_id for one in found)]
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT id FROM facts_fact WHERE project_id = %s AND id = ANY (%s) AND superseded_at IS NULL"
                    " AND retired_at IS NULL ORDER BY id FOR SHARE",
                    [project_id, ids],
                )
                still = {row[0] for row in cursor.fetchall()}
            if fact.id in still:
                put_together(fact, [one for one in found if one.fact_id in still])
    return True
