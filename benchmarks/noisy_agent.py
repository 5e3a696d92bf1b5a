"""A month of an always-on agent: 70 % echoes of its prompt, refusals and acknowledgements, 20 % facts said again, 10 %
facts; and a model that takes every sentence for a fact and gets a fifth of them wrong.

The facts were written down before the policy was, and no rule was made for one of them.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

AGENT = "kim"
PROMPT = (
    "You are Kim, the support agent of Northwind Outdoor. Be friendly and brief. Never reveal internal notes. "
    "Our shop sells tents, boots and bicycles. Always confirm the order number before you change an order. "
    "Escalate angry customers to a human. You have access to the tools search_orders, refund_order and send_mail. "
    "Use metric units. If you don't know the answer, say so. Today you work the night shift. "
    "Keep a list of open tickets and check it every hour. When the list is empty, reply HEARTBEAT_OK. "
    "You remember what customers told you. Customers like short answers. Northwind was founded in 1987 in Bergen."
)

# About the user: each sentence with each of its values is one fact.
OF_USER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("I prefer {} to phone calls.", ("e-mail", "text messages", "letters")),
    ("My shoe size is {}.", ("43", "38 and a half", "46")),
    ("I live in {}, on the edge of town.", ("Bergen", "Tromsø", "Aarhus")),
    ("I work as a {} at the harbour.", ("welder", "pilot", "cook")),
    ("I ride a {} to work all year round.", ("Brompton", "cargo bike", "gravel bike")),
    ("I always take {} on longer hikes.", ("two pairs of socks", "a gas stove", "paper maps")),
    ("I never buy leather, whatever the {}.", ("brand", "price")),
    ("My dog {} comes along on every tour.", ("Moss", "Tinker", "Bella")),
    ("I speak {} better than English.", ("Norwegian", "Polish", "Danish")),
    ("Please call me only after {}.", ("six in the evening", "the school run", "lunch")),
    ("I can't carry more than {} kilos because of my back.", ("ten", "eight")),
    ("I need invoices made out to {}.", ("my company Fjellheim", "the Askøy rowing club")),
    ("I collect {} from the eighties.", ("enamel mugs", "ski posters")),
    ("I'm on the early shift until {}.", ("April", "the end of June")),
    ("I own a {} and repair it myself.", ("Hilleberg tent", "wooden canoe")),
    ("I don't drink coffee, only {}.", ("rooibos", "green tea")),
    ("My delivery address is the {} at Strandgaten 9.", ("back door", "kiosk")),
    ("I moved to {} for good in spring.", ("Stavanger", "Odense")),
    ("I prefer my replies in {}.", ("bullet points", "plain sentences")),
    ("I sleep badly in {}, so I always book a cabin.", ("tents", "dormitories")),
)
# About the work, told by a colleague.
OF_WORK: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Our refund window for {} is 30 days.", ("boots", "tents", "bicycles")),
    ("We ship to {} on Tuesdays only.", ("Svalbard", "the Faroe Islands")),
    ("The {} warehouse closes at four.", ("Askøy", "Sotra")),
    ("From now on returns of {} go to the workshop first.", ("stoves", "skis")),
    ("Every order above {} kroner needs a second look.", ("5,000", "20,000")),
    ("We never sell {} without a safety leaflet.", ("gas canisters", "ice axes")),
    ("Our customer line is open from {} on weekdays.", ("eight to four", "nine to five")),
    ("Gift cards of {} are valid for three years.", ("Northwind", "our Bergen shop")),
    ("The spring inventory failed because the {} scanner was not charged.", ("handheld", "gate")),
    ("Before a recall we always inform {} first.", ("the importer", "the authority")),
)

FILLERS = ("", "", "", "Hi, ", "By the way, ", "Just so you know: ", "One more thing: ", "Hello Kim, ", "Also, ")

ASKED = (
    "Where is my order {n}?", "Can you check order {n} for me?", "Is the {item} in stock?", "Any news?",
    "Please cancel order {n}.", "What does shipping cost?", "Good morning!", "Thanks a lot!", "ok", "Yes please.",
    "And now?", "Send me the invoice for {n}, please.", "My parcel came with a dent.", "The page doesn't load.",
    "I'm at the counter right now.", "I paid with the blue card yesterday.", "Could you repeat that?", "Never mind.",
    "I was told that you call back.", "Hm, maybe I take the green one.", "Great, thank you, have a nice day.",
    "Change the delivery of {n} to Friday.", "HEARTBEAT", "cron: check open tickets", "Continue with the list.",
    "Tool result: [{{\"order\": {n}, \"status\": \"shipped\"}}]", "{{\"event\": \"timer\", \"ticket\": {n}}}",
    "Summarise the ticket {n}.", "What can you do?", "I need it by tonight.", "You said it would arrive today.",
)  # fmt: skip
ANSWERED = (
    "I'm sorry, but I can't help with that.", "I can't share internal notes.", "As an AI assistant I don't have a phone.",
    "Unfortunately I don't have access to order {n}.", "Got it, I have noted that.", "I've updated your profile.",
    "Sure, I'll check order {n}.", "Let me look that up for you.", "Order {n} has been shipped.", "HEARTBEAT_OK",
    "Is there anything else I can help you with?", "You're welcome, have a great day!", "One moment please.",
    "I am using search_orders with id {n}.", "Step 2 of 4 is done, next I will call refund_order.",
    "The refund of order {n} is pending approval by a colleague.", "Retry 3 of 5: the search tool returned 503.",
    "Task {n}: status running, attempts 2.", "Your order {n} is on its way and should arrive today.",
    "The {item} is in stock.", "Done. Ticket {n} has been closed.", "I understand your frustration.",
    "Could you tell me the order number, please?", "That is outside of what I can do.", "Noted!",
    "I'd be happy to help you with that.", "Thanks for reaching out to Northwind Outdoor.", "I will keep that in mind.",
    "We have discussed your order {n} before.", "Based on my notes you like short answers.",
)  # fmt: skip
RECALLED = "Curated facts (agent:kim):\n- {}\n\n"


@dataclass(frozen=True)
class Fact:
    """One thing that is to be found; ``user`` said it."""

    text: str
    user: str
    about_user: bool


@dataclass(frozen=True)
class Run:
    """One run of the agent. ``fact`` is set where the user said one, for the first time or again."""

    asked: str
    answered: str
    user: str
    fact: Fact | None = None


def facts(count: int, dice: random.Random) -> list[Fact]:
    """Up to 78 distinct facts in an order of chance."""
    made = [Fact(text.format(value), f"user-{n % 23}", True) for n, (text, value) in enumerate(_filled(OF_USER))]
    made += [Fact(text.format(value), f"colleague-{n % 5}", False) for n, (text, value) in enumerate(_filled(OF_WORK))]
    dice.shuffle(made)
    return made[:count]


def month(dice: random.Random, wanted: list[Fact]) -> list[Run]:
    """Ten runs a fact: seven of noise, one in which it is said and two in which it is said again."""
    first = [_said(fact, dice, again=False) for fact in wanted]
    again = [_said(fact, dice, again=True) for fact in wanted for _ in range(2)]
    noise = [_noise(dice, wanted) for _ in range(7 * len(wanted))]
    rest = again + noise
    dice.shuffle(rest)
    # What is said again comes later than what is said first.
    return first + rest


def _filled(table: tuple[tuple[str, tuple[str, ...]], ...]) -> Iterator[tuple[str, str]]:
    for text, values in table:
        yield from product([text], values)


def _said(fact: Fact, dice: random.Random, *, again: bool) -> Run:
    text = fact.text
    if again:
        text = dice.choice((text, text.lower(), text.replace(" ", "  ", 1), text.rstrip(".") + "!", text.upper()))
    filler = dice.choice(FILLERS)
    if filler and text[:1] != "I":
        text = text[:1].lower() + text[1:]
    before, after = (dice.choice(ASKED) if dice.random() < 0.5 else "" for _ in range(2))
    said = " ".join(part for part in (_slots(before, dice), filler + text, _slots(after, dice)) if part)
    echo = dice.choice(("Got it: {} I have noted that.", "Thanks! {}", "Noted.", "I will remember that. {}"))
    return Run(said, echo.format(fact.text), fact.user, fact)


def _noise(dice: random.Random, wanted: list[Fact]) -> Run:
    sentences = re.findall(r"[^.]+\.", PROMPT)
    asked, answered = _slots(dice.choice(ASKED), dice), _slots(" ".join(dice.sample(ANSWERED, 2)), dice)
    kind = dice.random()
    if kind < 0.35:
        answered = f"{''.join(dice.sample(sentences, 3)).strip()} {answered}"
    elif kind < 0.5:
        asked = f"{''.join(dice.sample(sentences, 4)).strip()} {asked}"
    elif kind < 0.58:
        asked = RECALLED.format(dice.choice(wanted).text) + asked
    return Run(asked, answered, f"user-{dice.randrange(23)}")


def _slots(text: str, dice: random.Random) -> str:
    return text.format(n=dice.randrange(10_000, 99_999), item=dice.choice(("tent", "stove", "bicycle")))


class BadModel:
    """Takes every sentence for a fact. Each fifth entry has a wrong quote, a wrong speaker or an invented name."""

    def __init__(self) -> None:
        self.entries = 0
        self.corrupted = 0

    def facts(self, question: str) -> list[dict[str, Any]]:
        """The entries for one question, which is the document the plane sends."""
        found = []
        for message in json.loads(question)["messages"]:
            for sentence in re.findall(r"[^.!?\n]+[.!?]*", message["text"]):
                if sentence.strip():
                    found.append(self.entry(message, sentence.strip()))
        return found

    def entry(self, message: dict[str, Any], sentence: str) -> dict[str, Any]:
        about_user = re.search(r"\b(?:I|I'm|my|me|you|your)\b", sentence, re.IGNORECASE) is not None
        made: dict[str, Any] = {
            "message": message["number"], "quote": sentence, "statement": sentence, "speaker": message["role"],
            "subject": None, "scope": "user" if about_user else "agent", "attribute": None, "category": "general",
            "memory_type": "semantic", "confidence": 0.95, "importance": 0.9, "sensitivity": "internal",
            "valid_from": None, "valid_until": None, "changes": None,
        }  # fmt: skip
        self.entries += 1
        if self.entries % 5 == 0:
            self.corrupted += 1
            wrong = self.corrupted % 3
            if wrong == 0:
                made["quote"] = " ".join(reversed(sentence.split())) if " " in sentence else sentence + "x"
            elif wrong == 1:
                made["speaker"] = "user" if message["role"] == "assistant" else "assistant"
            else:
                made["statement"] = f"Max Okafor, 41, said: {sentence}"
        return made
