"""Import, export files and webhooks: what a project's memory is brought in from and taken along as.

A file is read into lines, each line becomes a statement, and the gate of curation decides about it: imports propose, unless
an administrator says that they are told at once, and never bring back what was forgotten. Webhooks read what the audit
recorded and tell it by ids; nothing here is asked by a verb.
"""
