"""Keep what agents remember in memoryplane.

`Client` and `AsyncClient` speak the API as it is. `memoryplane_client.fastaiagent`, `.flux` and `.langgraph` are what these
frameworks ask of a store; each imports its framework and nothing else does.
"""

from memoryplane_client.calls import Added, Dream, Fact, Forgotten, Kept, Memory, Removed
from memoryplane_client.client import AsyncClient, Client
from memoryplane_client.errors import (
    Conflict,
    Invalid,
    KeyRefused,
    MemoryPlaneError,
    NoSuchKey,
    NotAllowed,
    NotFound,
    NotReachable,
    StillKept,
    TimedOut,
    Unavailable,
    UnexpectedAnswer,
    WaitsForReview,
)

__all__ = [
    "Added",
    "AsyncClient",
    "Client",
    "Conflict",
    "Dream",
    "Fact",
    "Forgotten",
    "Invalid",
    "Kept",
    "KeyRefused",
    "Memory",
    "MemoryPlaneError",
    "NoSuchKey",
    "NotAllowed",
    "NotFound",
    "NotReachable",
    "Removed",
    "StillKept",
    "TimedOut",
    "Unavailable",
    "UnexpectedAnswer",
    "WaitsForReview",
]
