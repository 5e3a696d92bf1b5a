"""Measure recall on data of yours."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.core.errors import DomainError
from memoryplane.evaluation.throwaway import MARK, ROOT, throwaway

GOALS = {"recall@10": 0.66, "MRR": 0.57}


class Command(BaseCommand):
    help = (
        "Measure recall: `evaluate locomo --data FILE` asks the questions of a LoCoMo file. Runs on servers of its own,"
        " which end with it; nothing of this installation is read or written but its settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["locomo"])
        parser.add_argument("--data", type=Path, help="the file; it is not part of the product")
        parser.add_argument(
            "--control", action="store_true", help="rank by importance alone; the goals must then be missed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["data"]
        if path is None or not path.is_file():
            raise CommandError(
                f"There is no file {path}; name one with --data." if path else "Name a file with --data."
            )
        if os.environ.get(MARK):
            self.locomo(path, control=options["control"])
            return
        with throwaway() as environment:
            again = [sys.executable, "manage.py", "evaluate", options["what"], "--data", str(path.resolve())]
            ended = subprocess.run(
                again + ["--control"] * options["control"], cwd=ROOT, env=environment, check=False
            ).returncode
        if ended:
            sys.exit(ended)

    def locomo(self, path: Path, *, control: bool) -> None:
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
        self.stdout.write(f"ceiling of recall: {best:.3f}\n\n{'':<22}{'asked':>6}{head}")

        def line(name: str, value: Scores) -> None:
            cells = "".join(f"{value.recall[depth]:>11.3f}" for depth in DEPTHS) + f"{value.mrr:>8.3f}"
            cells += "".join(f"{value.precision[depth]:>9.3f}" for depth in DEPTHS)
            self.stdout.write(f"{name:<22}{value.questions:>6}{cells}")

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
