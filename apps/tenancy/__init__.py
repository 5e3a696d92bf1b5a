"""Who there is: projects, agents, the SDK instances that connected, the subjects facts are about, and tombstones.

Owns names and ids, which never change once given. Never holds what anybody said or what is known about a subject.
"""
