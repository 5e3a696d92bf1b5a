"""The read: which facts an agent is told, in which order, and the ledger of every read.

Permission comes before ranking. Writes ledger rows, in the statement that reads, and the vectors of facts; never a
fact.
"""
