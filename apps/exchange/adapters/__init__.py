"""Outward calls of this room: the one place that talks to addresses that members of a project named."""
