"""What the injection judge makes of the candidates that the write policy let pass."""

from dataclasses import replace

from apps.extraction.adapters.judge import Entry
from apps.extraction.policy import judge
from apps.extraction.work import Answer, Work
from apps.screening.findings import QUARANTINE


def second_opinion(work: Work, answer: Answer) -> Answer:
    """The answer with its survivors judged once more, where the work has a judge: the greater of the two scores counts,
    so that nothing is let off. One call for all of them; without an opinion, or without survivors, nothing changes.
    Touches no database."""
    places = [place for place, verdict in enumerate(answer.verdicts) if verdict.outcome != "dropped"]
    if work.judge is None or not places:
        return answer
    texts = {turn.message_id: turn.text for turn in work.conversation.turns}
    survivors = [answer.verdicts[place].candidate for place in places]
    opinion = work.judge.rate([Entry(one.statement, texts[one.message_id], one.start, one.end) for one in survivors])
    verdicts = answer.verdicts
    if opinion.scores and max(opinion.scores) >= QUARANTINE:
        raised = dict(zip(places, opinion.scores, strict=True))
        again = judge(answer.extraction.candidates, work.conversation, cap=work.cap, raised=raised)
        # What was left out stays so: the place of one that is refused now goes to nobody who was not judged.
        verdicts = [
            after if before.outcome != "dropped" else before
            for before, after in zip(answer.verdicts, again, strict=True)
        ]
    changed = sum(before.rule != after.rule for before, after in zip(answer.verdicts, verdicts, strict=True))
    return replace(answer, verdicts=verdicts, opinion=opinion, asked=len(places), raised=changed)
