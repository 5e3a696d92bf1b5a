"""What a project comes to, in numbers: counted by a worker every few minutes and kept, so that no page counts a store.

Also when each member last looked. Numbers and ids only: it never keeps a text, and never writes another room's rows.
"""
