"""Editing a proposal while approving it."""

from typing import Any

from django import forms

from apps.access.models import SENSITIVITIES
from apps.console.proposal_reads import ShownProposal
from apps.curation.actions.approve_proposal import Edits
from apps.curation.models import Proposal
from apps.curation.queries import told_to

OFFERED = ["agent", "project", "user"]
TITLES = {"agent": "One agent", "project": "The whole project", "user": "One user", "session": "One session"}
SUPERSEDE = {"yes": True, "no": False}
"""What the field of the same name stands for; anything else leaves it unsaid."""


class EditProposal(forms.Form):
    """What the reviewer would have agents be told. Each scope has an id field of its own, so that one choice is
    enough to change it and nothing typed is lost."""

    content = forms.CharField(label="Statement", widget=forms.Textarea(attrs={"rows": 3}))
    scope = forms.ChoiceField(label="Who is told", widget=forms.RadioSelect)
    agent = forms.ChoiceField(label="Agent", required=False)
    user = forms.CharField(label="User id", required=False)
    scope_id = forms.CharField(label="Id", required=False)
    category = forms.CharField(label="Category", widget=forms.TextInput(attrs={"list": "categories"}))
    sensitivity = forms.ChoiceField(label="Sensitivity", choices=[(name, name) for name in SENSITIVITIES])
    confidence = forms.FloatField(label="Confidence", help_text="0 to 1", widget=forms.NumberInput({"step": "any"}))
    importance = forms.FloatField(label="Importance", help_text="0 to 1", widget=forms.NumberInput({"step": "any"}))
    supersede = forms.ChoiceField(label="What speaks against it", required=False, widget=forms.RadioSelect)

    def __init__(self, proposal: Proposal, shown: ShownProposal, data: Any = None) -> None:
        self.proposal = proposal
        self.categories = shown.categories
        agents, own = shown.agents, proposal.scope_id
        ids = {
            "agent": own if proposal.scope == "agent" else shown.run_agent,
            "user": own if proposal.scope == "user" else shown.run_user,
        }
        super().__init__(
            data,
            initial={
                **{name: getattr(proposal, name) for name in ("content", "scope", "category", "sensitivity")},
                "confidence": round(proposal.confidence, 4),
                "importance": round(proposal.importance, 4),
                "agent": ids["agent"] if ids["agent"] in agents else "",
                "user": ids["user"],
                "scope_id": own if proposal.scope not in OFFERED else "",
            },
        )
        offered = OFFERED if proposal.scope in OFFERED else [*OFFERED, proposal.scope]
        named = {"agent": ids["agent"], "user": ids["user"], proposal.scope: own}
        choice = self.fields["scope"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [
            (
                scope,
                f"{TITLES.get(scope, 'Somebody else')}. {told_to(scope, named.get(scope, ''))}",
            )
            for scope in offered
        ]
        agent = self.fields["agent"]
        assert isinstance(agent, forms.ChoiceField)
        agent.choices = [("", "Choose an agent"), *((name, name) for name in agents)]
        self._offer_to_replace(proposal, shown)
        if proposal.scope in OFFERED:
            del self.fields["scope_id"]
        else:
            self.fields["scope_id"].label = f"{proposal.scope.title()} id"

    def _offer_to_replace(self, proposal: Proposal, shown: ShownProposal) -> None:
        """The choice of a conflict, where there is one."""
        self.repeats = proposal.op == "add" and bool(shown.named)
        against = shown.against(proposal) if "conflict" in proposal.flags else []
        if not against:
            del self.fields["supersede"]
            return
        field = self.fields["supersede"]
        assert isinstance(field, forms.ChoiceField)
        told = " and ".join(f"#{fact.id} “{fact.content[:80]}”" for fact in against)
        field.choices = [("yes", f"Replace {told}"), ("no", "Keep both")]

    def supersede_word(self) -> bool | None:
        """What was chosen about the facts that speak against it; None where nothing was. Whoever edits what repeats a
        fact wants one of its own."""
        if self.repeats:
            return False
        return SUPERSEDE.get(self.cleaned_data.get("supersede", ""))

    def id_field(self) -> str:
        """The field that holds the id of the chosen scope, for a refusal that points at it."""
        scope = self.cleaned_data.get("scope", "")
        return scope if scope in {"agent", "user"} else "scope" if scope == "project" else "scope_id"

    def edits(self) -> Edits:
        """What differs from the proposal."""
        data, proposal = self.cleaned_data, self.proposal
        scope = data["scope"]
        wanted = {
            "content": data["content"],
            "scope": scope,
            "scope_id": "" if scope == "project" else data.get(self.id_field(), ""),
            "category": data["category"],
            "sensitivity": data["sensitivity"],
            "confidence": data["confidence"],
            "importance": data["importance"],
        }
        changed = {
            name: value for name, value in wanted.items() if name in self.changed_data or self._moved(name, value)
        }
        if scope == proposal.scope == "project":
            changed.pop("scope_id", None)
        return Edits(**changed)

    def _moved(self, name: str, value: Any) -> bool:
        return name in {"scope", "scope_id"} and value != getattr(self.proposal, name)
