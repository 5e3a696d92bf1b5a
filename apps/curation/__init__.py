"""The one gate: proposals, their evidence and targets, review, conflicts.

Whatever a machine or a person wants to change about facts passes here. Never extracts, never serves.
"""
