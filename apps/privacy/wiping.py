"""Emptying a whole project: which tables go, in which order, and which stay and why.

An explicit list, in the order of the stores of an erasure: a test fails on a table of a project that is in neither.
"""

from dataclasses import dataclass

from django.db import connection

from apps.privacy.models import EMPTIED, Hold, PrivacyRequest
from apps.privacy.states import FINISHED, WIPE
from apps.privacy.verification import Report, verify_links

COUNTED = 200
"""How far a page counts what would go."""
BATCH = 2_000
"""Rows a transaction deletes at most of one table, with what hangs on them."""


@dataclass(frozen=True)
class Wiped:
    """A table whose rows go, oldest first by ``key``; ``along``: tables whose rows go with them, by their foreign keys or by
    a trigger. ``where`` limits what is there to go, ``empty`` empties these columns instead of deleting the row."""

    name: str
    label: str
    table: str
    along: tuple[str, ...] = ()
    key: str = "id"
    where: str = "true"
    empty: str = ""


WIPED: list[Wiped] = [
    Wiped("imports", "Files brought in, and their lines", "exchange_import", ("exchange_importline",)),
    Wiped("dream_changes", "Changes that dream runs would make", "dreaming_dreamchange", ("dreaming_dreamtarget",)),
    Wiped("dreams", "Dream runs", "dreaming_dreamrun", ("dreaming_dreamphase",)),
    Wiped("dream_gates", "Gates of dream runs", "dreaming_dreamgate"),
    Wiped(
        "proposals",
        "Proposals and their evidence",
        "curation_proposal",
        ("curation_proposaltarget", "curation_proposalevidence", "curation_conflictside", "curation_waitingwrite"),
    ),
    Wiped(
        "facts",
        "Facts, every version, with evidence, lineage and vectors",
        "facts_fact",
        (
            "facts_hot", "facts_factsource", "facts_factderivation", "recall_factembedding", "recall_factserving",
            "recall_facttold", "curation_uncompared", "curation_duplicatemember", "curation_notduplicates",
        ),
    ),
    Wiped("conflicts", "Conflicts", "curation_conflict"),
    Wiped("changes", "What could be taken back", "curation_change"),
    Wiped("groups", "Groups of duplicates", "curation_duplicategroup"),
    Wiped(
        "traces",
        "Conversations, with spans, messages and runs",
        "traces_trace",
        ("traces_span", "traces_message", "extraction_extractionrun", "extraction_candidatedecision"),
    ),
    Wiped("session_messages", "Messages of sessions", "traces_sessionmessage"),
    Wiped("sessions", "Sessions", "traces_session"),
    Wiped("operational", "Agents' own values", "facts_operationalvalue"),
    Wiped("reads", "Reads", "recall_readledger", key="at, id"),
    Wiped("days", "Figures by day", "extraction_dayfigures"),
    Wiped("agent_days", "Figures by agent", "recall_agentday"),
    Wiped("figures", "Figures of the overview", "insight_figures"),
    Wiped(
        "packages",
        "Packages made for people",
        "privacy_accesspackage",
        where="removed_at IS NULL",
        # The row stays as the proof that something was handed over, or was not.
        empty=", ".join(["removed_at = clock_timestamp()", *(f"{column} = NULL" for column in EMPTIED)]),
    ),
    Wiped("views", "Saved views", "insight_savedview"),
    Wiped("identities", "Ids kept in privacy requests", "privacy_requestidentity"),
    Wiped("wishes", "Words kept in privacy requests", "privacy_privacyrequest",
          where="wish <> '' OR correction <> ''", empty="wish = '', correction = ''"),
    Wiped("subjects", "Subjects and their aliases", "tenancy_subject", ("tenancy_subjectalias",)),
]  # fmt: skip
WIPED_BY_NAME = {one.name: one for one in WIPED}

STAYS: dict[str, str] = {
    "access_apikey": "keys of the operator; none works while the project is closed",
    "access_invitation": "who was invited to work here",
    "access_membership": "who works here",
    "audit_auditevent": "what was done and by whom; ids and digests only",
    "audit_audithead": "the head of the audit chain",
    "audit_chaincheck": "how far the audit chain was verified",
    "dreaming_dreamsettings": "the operator's own settings",
    "extraction_extractionsettings": "the operator's own settings",
    "exchange_webhook": "addresses of the operator, which are told of the wipe too",
    "exchange_webhookdelivery": "what was sent to them: bare ids, for 30 days",
    "facts_category": "names that the operator files facts under",
    "facts_writtenonce": "digests of writes, so that none is done twice; a day old at most",
    "facts_withdrawal": "numbers of withdrawn facts, by which agents learn what to drop",
    "insight_visit": "when a member last looked",
    "privacy_hold": "grounds of holds that were released; a wipe waits for every other",
    "privacy_receipt": "proof of what was done, without personal data",
    "privacy_retentionrule": "the operator's own settings",
    "recall_recallsettings": "the operator's own settings",
    "tenancy_agent": "the operator's own agents",
    "tenancy_agentversion": "the operator's own agents, as they registered themselves",
    "tenancy_clientinstance": "machines of the operator",
    "tenancy_tombstone": "keyed digests of what may not come back",
}
"""Tables of a project that a wipe leaves, by reason."""


def in_the_way(project_id: int) -> str:
    """Why the project may not be wiped now: ``held``, ``requests_open``, or nothing. The project is bound."""
    if Hold.objects.filter(project_id=project_id, released_at=None).exists():
        return "held"
    others = PrivacyRequest.objects.filter(project_id=project_id).exclude(kind=WIPE)
    return "requests_open" if others.exclude(state__in=FINISHED).exists() else ""


def wipe_counts(project_id: int, *, capped: bool) -> dict[str, int]:
    """Rows there are to go, by name, in one statement; ``capped`` stops at COUNTED + 1 of each. The project is bound."""
    asked = ", ".join(
        f"(SELECT count(*) FROM (SELECT FROM {one.table} WHERE project_id = %(project)s AND ({one.where})"  # noqa: S608
        # In the order of an index, since the first pages of a table may hold nothing any more.
        + (" ORDER BY id" if capped and one.key == "id" else "")
        + (f" LIMIT {COUNTED + 1}" if capped else "")
        + ") t)"
        for one in WIPED
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {asked}", {"project": project_id})
        return dict(zip(WIPED_BY_NAME, cursor.fetchone(), strict=True))


def wipe_batch(project_id: int, one: Wiped) -> int:
    """Delete, or empty, the next rows of a table; returns how many. The project is bound and ``app.erasing`` set."""
    some = (
        f"SELECT {one.key} FROM {one.table} WHERE project_id = %(project)s AND ({one.where})"  # noqa: S608
        f" ORDER BY {one.key} LIMIT %(most)s"
    )
    act = f"UPDATE {one.table} SET {one.empty}" if one.empty else f"DELETE FROM {one.table}"  # noqa: S608
    with connection.cursor() as cursor:
        # By value and not by a subquery, for which the planner might read the table whole.
        cursor.execute(some, {"project": project_id, "most": BATCH})
        keys = cursor.fetchall()
        if not keys:
            return 0
        columns = list(zip(*keys, strict=True))
        if len(columns) == 1:
            cursor.execute(f"{act} WHERE project_id = %s AND {one.key} = ANY (%s)", [project_id, list(columns[0])])
        else:
            cursor.execute(
                f"{act} WHERE project_id = %s AND ({one.key}) IN (SELECT * FROM unnest(%s::timestamptz[], %s::bigint[]))",  # noqa: S608
                [project_id, *map(list, columns)],
            )
        return int(cursor.rowcount)


def verify_wiped(project_id: int) -> Report:
    """Whether anything is left in any table that goes, whatever took it along. The project is bound."""
    report = Report()
    with connection.cursor() as cursor:
        for one in WIPED:
            for table in (one.table, *one.along):
                where = one.where if table == one.table else "true"
                cursor.execute(
                    f"SELECT count(*) FROM {table} WHERE project_id = %s AND ({where})",  # noqa: S608
                    [project_id],
                )
                (left,) = cursor.fetchone()
                report.add(f"table:{table}", left, left)
    verify_links(report, project_id)
    return report
