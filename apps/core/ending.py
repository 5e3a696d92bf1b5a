"""Whether this worker was asked to end: what goes on for long takes up nothing new then.

A worker's processes share the flag, which is made before they are forked; the one that is asked sets it, the others look.
"""

from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue

_asked = RawValue(c_bool, False)


def ask() -> None:
    """By the process that was told to end."""
    _asked.value = True


def is_asked() -> bool:
    return bool(_asked.value)
