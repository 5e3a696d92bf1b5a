"""What each rule and reason says to people, one sentence each."""

EXPLAINED: dict[str, str] = {
    # kept
    "requested": "Kept: the user asked that it be remembered.",
    "procedure": "Kept: a way of doing things that will be used again.",
    "event": "Kept: an event with its cause, which explains a later failure or preference.",
    "preference": "Kept: a preference, which changes how the agent should act.",
    "lasting-fact": "Kept: a lasting fact, which changes how the agent should act.",
    # held
    "injection": "Held: the message reads like an order to the assistant.",
    "special": "Held: health, belief or another special category needs a person's consent to keep it.",
    "named-person": "Held: it names another person.",
    "unsupported": "Held: the quote was said, and the statement says more or something else.",
    "whole-project": "Held: every agent of the project would be told it.",
    "model-inference": "Held: the agent said it about the user, who did not say it.",
    # no witness
    "unknown-message": "Left out: it names a message that is not in the conversation.",
    "no_witness": "Left out: its quote is not in the message, so nobody said it.",
    "invented": "Left out: it has a name or a number that nobody said.",
    # never
    "secret": "Left out: it holds a password, a key or another secret.",
    "injection-refused": "Left out: the message gives the assistant orders.",
    "instruction": "Left out: in a message that gives the assistant orders about itself.",
    # not the speaker's words
    "served": "Left out: memoryplane itself had told it to the agent.",
    "restated-prompt": "Left out: it repeats the agent's instructions.",
    "code-or-quote": "Left out: code, a quotation or forwarded text.",
    "tool-dump": "Left out: output of a tool or a log.",
    "system-text": "Left out: a description of the agent or an instruction to it.",
    "restated": "Left out: it repeats what was said earlier in the conversation.",
    "recalled": "Left out: it repeats what the agent remembers.",
    "repeated": "Left out: said before in the same conversation.",
    # the run's state
    "state-task-id": "Left out: the id of a task or a run belongs to the run, not to memory.",
    "state-retries": "Left out: a count of tries belongs to the run, not to memory.",
    "state-approval": "Left out: a pending approval belongs to the run, not to memory.",
    "state-plan": "Left out: the current step of a plan belongs to the run, not to memory.",
    "state-tool": "Left out: the tool in use belongs to the run, not to memory.",
    # nothing to tell
    "question": "Left out: a question.",
    "refusal": "Left out: a refusal.",
    "acknowledgement": "Left out: an acknowledgement.",
    "greeting": "Left out: a greeting or thanks.",
    "small-talk": "Left out: small talk.",
    "command": "Left out: an order for this one run.",
    # of others
    "third-party": "Left out: about another person, and it would be filed under the speaker.",
    "other-person": "Left out: about somebody else than the account's owner.",
    "reported": "Left out: the speaker repeats what others said.",
    "general": "Left out: true of everybody or of nobody in particular.",
    # not meant, not certain, not for long
    "joke": "Left out: a joke, or taken back as one.",
    "hypothetical": "Left out: only imagined.",
    "uncertain": "Left out: the speaker was not sure.",
    "past": "Left out: past and over.",
    "one-off": "Left out: a detail of this moment.",
    "unresolved": "Left out: of whom or what it speaks is said elsewhere.",
    "no-durable": "Left out: nothing that would hold later.",
    "corrected": "Left out: corrected in the same conversation.",
    "assistant-said": "Left out: the agent's own words, which teach nothing new.",
    "subject-erased": "Left out: the person it is about was erased meanwhile.",
    # bounds
    "cap": "Left out: beyond the most statements one conversation may give.",
    "too-long": "Left out: longer than a statement or a message may be.",
    "malformed": "Left out: the model's entry could not be read.",
    # by the queue
    "known": "A current fact says it already.",
    "waiting": "The same statement waits in the queue already.",
    "refused_before": "Left out: the same statement was rejected before.",
    "forgotten": "Left out: it was forgotten on request.",
    "restricted": "Left out: the fact that says it is restricted and may not be touched.",
    "no_subject": "Held: nobody knows yet whom it is about.",
    "no_agent": "Held: the run names no agent of this project, so nobody would be told.",
    "held": "Held: a person looks first.",
}
