"""The verbs of this room, one a file."""
