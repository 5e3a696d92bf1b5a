"""What a request reaches now, whom it names, and what of that is kept with it."""

from collections.abc import Iterable

from apps.core.errors import Invalid
from apps.core.text import as_seen
from apps.facts.models import Fact
from apps.privacy.backups import backups_holding
from apps.privacy.mentions import Identifier, Names
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.privacy.near import near_facts
from apps.privacy.reach import Reach, mentioning, reach_of
from apps.privacy.staff import accounts_named
from apps.privacy.stores import counts
from apps.screening.people import own_names

NAMED = 500
"""So many facts are looked through for names that the person gives herself."""
MOST_NAMED = 50
"""So many facts that say such a name are listed, the newest."""


def reach_for(request: PrivacyRequest, also: Iterable[int], named: list[Identifier] | None = None) -> Reach:
    """What the request reaches now, its exceptions kept; ``named`` instead of the identities that it keeps itself."""
    return reach_of(
        request.project_id,
        request.subject,
        identifiers_of(request) if named is None else named,
        exceptions={int(number): ground for number, ground in request.exceptions.items()},
        also=also,
        digest=bytes(request.subject_digest),
        was=request.progress.get("subject"),
    )


def identifiers_of(request: PrivacyRequest) -> list[Identifier]:
    rows = RequestIdentity.objects.filter(project_id=request.project_id, request_id=request.id).order_by("id")
    return [Identifier(kind, value) for kind, value in rows.values_list("kind", "value")]


def nameless(request: PrivacyRequest, said: str, pointer: str) -> None:
    """Raises Invalid ``names_the_person`` for a ground or a reason that does: it is kept when everything else is gone, and
    stands on the receipt."""
    if Names(identifiers_of(request)).within(said):
        raise Invalid("names_the_person", "Say it without naming the person: this is kept for good.", pointer=pointer)


def summary(request: PrivacyRequest, reach: Reach, also: list[int]) -> dict[str, object]:
    """The part of a reach that is kept: counts, ids and codes, and the backups that will hold it still."""
    reasons: dict[str, int] = {}
    for reason in reach.facts.values():
        reasons[reason] = reasons.get(reason, 0) + 1
    without = [*reach.facts, *reach.held, *reach.excepted, *(item.fact_id for item in reach.shared)]
    own = [number for number, reason in reach.facts.items() if reason in {"direct", "alias", "history"}]
    near = near_facts(request.project_id, own, without=without)
    called = _unregistered(request, own)
    return {
        "stores": counts(request.project_id, reach),
        "reasons": reasons,
        "near": [{"fact": one.fact_id, "alike": one.alike, "beside": one.beside} for one in near],
        # Facts of hers that say a name by which nobody looks for her, and others that say the same name.
        "called": sorted(called),
        "named": _named(request, called, {*without, *(one.fact_id for one in near)}),
        "shared": [{"fact": item.fact_id, "alone": item.alone} for item in reach.shared],
        "also": also,
        "held": sorted(reach.held),
        "held_traces": reach.held_traces,
        "survivors": reach.survivors,
        "backups": backups_holding(),
        "staff": accounts_named(identifiers_of(request)),
    }


def _unregistered(request: PrivacyRequest, own: list[int]) -> dict[int, list[str]]:
    """Of the person's facts, the newest NAMED, those that give names of hers which are none of her identities; the names."""
    known = {as_seen(item.value).casefold() for item in identifiers_of(request)}
    rows = Fact.objects.in_project(request.project_id).filter(id__in=sorted(own)[-NAMED:]).order_by("id")
    found = {
        number: [name for name in own_names(text) if as_seen(name).casefold() not in known]
        for number, text in rows.values_list("id", "content")
    }
    return {number: names for number, names in found.items() if names}


def _named(request: PrivacyRequest, called: dict[int, list[str]], without: set[int]) -> list[dict[str, int]]:
    """Facts that say one of these names: of her, or of somebody else who is called so. ``as`` is hers that gives it."""
    names = {name: number for number, given in called.items() for name in given}
    said = mentioning(request.project_id, [Identifier("name", name) for name in names]) if names else {}
    numbers = sorted(set(map(int, said.get("facts", set()))) - without)[-MOST_NAMED:]
    rows = Fact.objects.in_project(request.project_id).filter(id__in=numbers).order_by("id")
    which = {name: Names([Identifier("name", name)]) for name in names}
    return [
        {"fact": number, "as": next(names[name] for name, one in which.items() if one.within(text))}
        for number, text in rows.values_list("id", "content")
        if any(one.within(text) for one in which.values())
    ]
