"""Where an import stands, and which of these a worker carries on."""

STATES = ["uploaded", "checking", "checked", "running", "done", "failed", "cancelled"]
WORKING = ["checking", "running"]
"""A worker is at it, or will be."""
WAITING = ["uploaded", "checked"]
"""A person has to say how it goes on."""
ENDED = ["done", "failed", "cancelled"]
OUTCOMES = ["new", "held", "known", "suppressed", "refused"]
"""What became, or would become, of a line. ``held`` ones are new and a person must look at them first; ``suppressed`` ones
were forgotten here, and nobody is told which they are."""
