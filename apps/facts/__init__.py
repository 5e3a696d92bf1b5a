"""The statements agents may be told: append and supersede, with evidence and lineage; and operational key/values.

A change of what a fact says appends a row and closes the old one; the database refuses anything else. Only approved
statements get here; what machines suggest lives in curation.
"""
