"""Measure recall, and what it is worth, on data of yours."""

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.core.errors import DomainError
from memoryplane.evaluation.throwaway import MARK, ROOT, throwaway

GOALS = {"recall@10": 0.66, "MRR": 0.57}
CASES = ROOT / "memoryplane" / "evaluation" / "cases" / "general.jsonl"
SHOWN = 200  # characters of an answer


class Command(BaseCommand):
    help = (
        "Measure memory. `evaluate locomo --data FILE` asks the questions of a LoCoMo file and sees how far up the facts"
        " that answer them come. `evaluate usefulness --cases FILE` has the configured model answer each case with the"
        " facts it is told, and without. Runs on servers of its own, which end with it; nothing of this installation is"
        " read or written but its settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["locomo", "usefulness"])
        parser.add_argument("--data", type=Path, help="locomo: the file; it is not part of the product")
        parser.add_argument(
            "--peers", action="store_true", help="locomo: other memory stores too, installed when asked for first"
        )
        parser.add_argument(
            "--cases", type=Path, default=CASES, help="usefulness: a file as docs/evaluation.md describes; some are part of the product"
        )  # fmt: skip
        parser.add_argument("--goal", type=float, help="usefulness: the least difference, 0 to 1; below it exit code 1")
        parser.add_argument(
            "--control",
            action="store_true",
            help="locomo: rank by importance alone; usefulness: tell each case the facts of another. Must miss the goal",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["data"] if options["what"] == "locomo" else options["cases"]
        if path is None or not path.is_file():
            raise CommandError(
                f"There is no file {path}; name one with --data or --cases." if path else "Name a file with --data."
            )
        if options["goal"] is not None and not 0 <= options["goal"] <= 1:
            raise CommandError("A goal lies between 0 and 1.")
        if os.environ.get(MARK):
            if options["what"] == "locomo":
                self.locomo(path, control=options["control"], peers=options["peers"])
            else:
                self.usefulness(path, goal=options["goal"], control=options["control"])
            return
        if options["what"] == "usefulness":
            self.ready(path)
        named = "--data" if options["what"] == "locomo" else "--cases"
        again = [sys.executable, "manage.py", "evaluate", options["what"], named, str(path.resolve())]
        again += ["--control"] * options["control"] + ["--peers"] * options["peers"]
        again += ["--goal", str(options["goal"])] if options["goal"] is not None else []
        with throwaway() as environment:
            ended = subprocess.run(again, cwd=ROOT, env=environment, check=False).returncode
        if ended:
            sys.exit(ended)

    def locomo(self, path: Path, *, control: bool, peers: bool) -> None:
        from memoryplane.evaluation import recall
        from memoryplane.evaluation.locomo import CATEGORIES, read
        from memoryplane.evaluation.scores import DEPTHS, Found, Scores, ceiling, scores

        try:
            talks = read(path)
        except DomainError as error:
            raise CommandError(error.detail) from error
        stored = recall.store(talks, self.stdout.write)
        known = {id(one): frozenset().union(*one.turns.values()) for one in stored}
        best = sum(
            ceiling([asked.turns for asked in one.talk.questions], known[id(one)]) * len(one.talk.questions)
            for one in stored
        ) / sum(len(one.talk.questions) for one in stored)
        head = "".join(f"{f'recall@{depth}':>11}" for depth in DEPTHS) + f"{'MRR':>8}"
        head += "".join(f"{f'prec@{depth}':>9}" for depth in DEPTHS)
        self.stdout.write(f"ceiling of recall: {best:.3f}\n\n{'':<26}{'asked':>6}{head}")

        def line(name: str, value: Scores) -> None:
            cells = "".join(f"{value.recall[depth]:>11.3f}" for depth in DEPTHS) + f"{value.mrr:>8.3f}"
            cells += "".join(f"{value.precision[depth]:>9.3f}" for depth in DEPTHS)
            self.stdout.write(f"{name:<26}{value.questions:>6}{cells}")

        if peers:
            self.peers(stored, line)
        ways = {"importance only": {"importance": 1.0}} if control else recall.WAYS
        last: Scores | None = None
        found: dict[int, list[Found]] = {}
        for name, weights in ways.items():
            found = recall.ask(stored, weights)
            last = scores(row for rows in found.values() for row in rows)
            line(name, last)
        for category in sorted(found):
            line(f"  {CATEGORIES[category]}", scores(found[category]))
        assert last is not None
        figures = {"recall@10": last.recall[10], "MRR": last.mrr}
        self.stdout.write("")
        for name, goal in GOALS.items():
            verdict = "ok" if figures[name] >= goal else "short of the goal"
            self.stdout.write(f"{name:<12}{figures[name]:.3f}   goal >= {goal}   {verdict}")
        if any(figures[name] < goal for name, goal in GOALS.items()):
            sys.exit(1)

    def peers(self, stored: list[Any], line: Any) -> None:
        """A line for each other store that can be had, a sentence for each that can't."""
        from apps.inference.embeddings import embedder
        from memoryplane.evaluation import recall
        from memoryplane.evaluation.peers import PEERS, PeerFault, peer_python
        from memoryplane.evaluation.scores import scores

        model = embedder()
        if model is None:
            self.stdout.write("No embedder is configured, and other stores rank by nothing else: they are left out.")
            return
        with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
            vectors = Path(folder) / "vectors.jsonl"
            recall.write_vectors(stored, model, vectors)
            for peer in PEERS:
                try:
                    found = recall.ask_peer(stored, peer, peer_python(peer, self.stdout.write), vectors)
                except PeerFault as fault:
                    self.stdout.write(f"{fault}. It is left out.")
                else:
                    line(str(peer), scores(row for rows in found.values() for row in rows))

    def ready(self, path: Path) -> None:
        """Refuse before any server is started."""
        from apps.inference.chat import model_choice
        from apps.recall.cases import parse_cases

        try:
            parse_cases(path.read_bytes())
            model_choice()
        except DomainError as error:
            faults = [f"{one.detail} ({one.pointer})" if one.pointer else one.detail for one in error.errors]
            raise CommandError("\n".join([error.detail, *faults])) from error

    def usefulness(self, path: Path, *, goal: float | None, control: bool) -> None:
        from django.conf import settings

        from apps.inference.chat import chat_model, model_choice
        from apps.recall.cases import parse_cases
        from apps.recall.rendering import block_text
        from memoryplane.evaluation import usefulness

        self.ready(path)
        cases = parse_cases(path.read_bytes())
        choice = model_choice()
        model = chat_model(choice)
        try:
            stored = usefulness.store(cases)
            told = [usefulness.served(one) for one in stored]
            told = usefulness.others(told) if control else told
            blocks = [block_text(case.agent, contents) for case, contents in zip(cases, told, strict=True)]
            rows = {
                name: [
                    usefulness.judge(case, usefulness.ask(model, case, block, settings.LLM_TIMEOUT), block)
                    for case, block in zip(cases, given, strict=True)
                ]
                for name, given in (("with the facts", blocks), ("without", [""] * len(cases)))
            }
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(
            f"{len(cases)} cases, model {choice.name}, {sum(map(len, told))} facts told"
            + (", each case those of another" if control else "")
        )
        self.stdout.write(
            f"{'':<16}{'success':>9}" + "".join(f"{name.replace('_', ' '):>15}" for name in usefulness.COUNTS)
        )
        for name, judged in rows.items():
            cells = "".join(f"{sum(count in one.faults for one in judged):>15}" for count in usefulness.COUNTS)
            self.stdout.write(f"{name:<16}{usefulness.share(judged):>9.3f}{cells}")
        wrongly = [usefulness.told_wrongly(case, contents) for case, contents in zip(cases, told, strict=True)]
        cells = "".join(f"{sum(count in one for one in wrongly):>15}" for count in usefulness.COUNTS[:4])
        self.stdout.write(f"{'told':<16}{'':>9}{cells}")
        self.stdout.write(f"secrets refused as facts: {sum(one.refused for one in stored)}\n")
        for one in rows["with the facts"]:
            if not one.success:
                said = f"{one.answer.kind or 'nothing readable'}: {one.answer.text[:SHOWN]}"
                self.stdout.write(f"failed: {one.case.name} ({', '.join(sorted(one.faults)) or 'wrong'}) {said}")
        difference = usefulness.share(rows["with the facts"]) - usefulness.share(rows["without"])
        # Facts of another case must help nobody, whatever goal is set.
        least = goal if goal is not None else 0.001 if control else None
        reached = least is None or difference >= least
        verdict = "" if least is None else f"   goal >= {least}   {'ok' if reached else 'short of the goal'}"
        self.stdout.write(f"difference  {difference:+.3f}{verdict}")
        if not reached:
            sys.exit(1)
