"""Who did what, when and why, in one hash chain a project.

Owns the audit events and their chain heads. Holds bare ids, codes, counts and digests; never memory text, never a
foreign key: the record outlives what it records. An event is written in the transaction of the act it records.
"""
