"""Forgetting: the only app that reaches every store, and the registry that says how each stored text is erased.

Writes tombstones. Called by the faces alone.
"""
