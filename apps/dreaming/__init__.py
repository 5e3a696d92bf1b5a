"""Consolidation runs over the facts of one place: orient, gather, consolidate, prune.

A run reads facts and stages changes to them, each with its reason and what it rests on. It never writes a fact: a person,
or the narrow policy the project chose, has changes applied through curation, and takes them back by run or one by one.
"""
