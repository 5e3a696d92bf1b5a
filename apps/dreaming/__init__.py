"""Consolidation runs: orient, gather, consolidate, prune. Will propose to curation; never writes a fact."""
