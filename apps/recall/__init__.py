"""The read: which facts an agent is told, in which order, and the ledger of every read.

Permission comes before ranking. Writes nothing but ledger rows, and those in the statement that reads.
"""
