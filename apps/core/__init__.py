"""The lowest room: what every other app stands on.

It owns domain errors, ids, the clock, text normalisation, strict JSON and field readers, keyset pages, the
unit of work with its project binding, SQL files and the DDL of tenant tables. It has no models, knows no
other app, and never sees an HTTP request.
"""
