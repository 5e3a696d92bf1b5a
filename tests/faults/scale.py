"""How much of each fault: `FAULTS=whole` (make faults) does all of it, anything else a few seconds' worth."""

import os

WHOLE = os.environ.get("FAULTS") == "whole"
SEED = int(os.environ.get("SEED", "5"))
counts: list[str] = []
"""What the tests counted, shown at the end of the run."""


def scaled(name: str, short: int, whole: int) -> int:
    """The number a variable of this name says, else ``whole`` or ``short``."""
    return int(os.environ.get(name) or (whole if WHOLE else short))


def report(fault: str, **figures: object) -> None:
    """One line of counts."""
    line = f"{fault}: " + ", ".join(f"{name.replace('_', ' ')} {figure}" for name, figure in figures.items())
    counts.append(line)
    print(line, flush=True)
