"""Another id under which a subject appears."""

from django.db import IntegrityError, transaction

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.text import normalise, storable
from apps.core.transactions import bind
from apps.tenancy.models import Subject, SubjectAlias

MAX_ALIASES = 50


def add_alias(*, actor: Actor, project_id: int, subject_id: int, external_id: str) -> SubjectAlias:
    """From now on ``external_id`` means this subject; an alias that it has already is returned as it is.

    Facts and traces that were filed before stay where they are. Raises Invalid ``invalid_alias`` for a blank id, ``*``,
    one over 255 characters or the subject's own, and ``too_many_aliases`` beyond 50; NotFound; Conflict ``alias_taken``
    for an id or alias of another subject.
    """
    require(actor, "subjects.alias", project_id=project_id)
    name = storable(external_id)[0].strip()
    if not normalise(name) or name == "*" or len(name) > 255:
        raise Invalid("invalid_alias", "An alias is 1 to 255 characters and not '*'.", pointer="/external_id")
    with bind(project_id):
        subject = Subject.objects.select_for_update(no_key=True).filter(project_id=project_id, id=subject_id).first()
        if subject is None:
            raise NotFound("not_found", "There is no such subject in this project.")
        if name == subject.external_id:
            raise Invalid("invalid_alias", "That is the subject's own id.", pointer="/external_id")
        known = list(SubjectAlias.objects.filter(project_id=project_id, subject_id=subject_id))
        for alias in known:
            if alias.external_id == name:
                return alias
        if len(known) >= MAX_ALIASES:
            raise Invalid("too_many_aliases", f"A subject has at most {MAX_ALIASES} aliases.", pointer="/external_id")
        try:
            with transaction.atomic():
                alias = SubjectAlias.objects.create(project_id=project_id, subject=subject, external_id=name)
        except IntegrityError:
            # Of which subject stays unsaid: whoever may add an alias here need not know of that one.
            raise Conflict("alias_taken", "Another subject is known by this id.", pointer="/external_id") from None
        record(
            actor=actor,
            verb="subjects.add_alias",
            object_type="subject",
            object_id=subject_id,
            data={"alias": alias.pk},
        )
    return alias
