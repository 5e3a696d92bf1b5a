"""From a settled trace to proposals: claims it, asks an extractor for candidates, hands them to curation.

Never writes a fact. What was mined is remembered, so a trace that grows again is mined only where it grew.
"""
