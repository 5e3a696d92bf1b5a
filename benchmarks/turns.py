"""Whose turn it is, where several are measured one after the other."""

from itertools import permutations


def in_turn(names: list[str], number: int) -> list[str]:
    """All orders by turns, of which this is the one of round ``number``.

    Whoever comes after a slow one finds the processor's caches cold, so that each has to come after each as often. A
    rotation would not do: there one always follows the same other.
    """
    orders = list(permutations(names))
    return list(orders[number % len(orders)])
