"""What happened, as it arrived: sessions, traces, spans, and the messages read out of the spans.

Append-only: the first copy of a span wins. Never interprets what was said; a worker comes and claims settled traces.
"""
