"""Whether two statements about work speak of one thing.

A user has one home city, so that two values of it contradict each other. A project has many things that open and close:
there the attribute alone says too little, and what stands before the verb has to agree.
"""

from apps.curation.likeness import gist
from apps.curation.likeness_words import NUMBERS

_GENERIC = """
    opening-hours opening-time opening-times closing-time business-hours hours price cost fee location address phone
    email contact status version deadline cutoff cut-off cutoff-time capacity schedule limit size name language
    lead-time delivery-time response-time time-zone timezone
"""
GENERIC = frozenset(_GENERIC.split())
"""Attributes that many things of one project have; any other names its thing by itself."""
_VERB_FORMS = """
    is are was were isn't aren't be has have had can could may might must will would should shall do does don't doesn't
    open opens opened close closes closed start starts end ends run runs take takes cost costs last lasts ship ships
    answer answers need needs use uses accept accepts work works stand stands lie lies now currently from to
    ist sind war hat haben öffnet öffnen schließt schließen kostet kosten dauert
    es son está están abre abren cierra cierran é são fecha fecham est sont ouvre ouvrent ferme ferment
"""
_VERBS = frozenset(_VERB_FORMS.split())
_APART = str.maketrans(dict.fromkeys('.,;:!?()"“”„«»', " "))


def same_thing(attribute: str, first: str, second: str) -> bool:
    """Whether two statements on one attribute are about one thing of a project or an agent.

    Where both name somebody or some place before the verb, these have to meet; where the attribute is one of many
    things, so have the words there, and "we" is nobody but "we".
    """
    a, b = gist(_before_verb(first)), gist(_before_verb(second))
    if a.full_names and b.full_names and not a.full_names & b.full_names:
        return False
    mine, theirs = set(a.bag), set(b.bag)
    return attribute not in GENERIC or mine == theirs or bool(mine & theirs)


def _before_verb(statement: str) -> str:
    words = statement.translate(_APART).replace("’", "'").split()
    for place, word in enumerate(words):
        plain = word.casefold()
        if plain in _VERBS or word[0].isdigit() or plain in NUMBERS:
            return " ".join(words[:place])
    return " ".join(words)
