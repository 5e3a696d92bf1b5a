"""Who may do what: users, memberships with roles, API keys with their grants, the actor, the policies.

Every verb asks `access.policies.require`. Never holds memory text; knows nothing of requests or sessions.
"""
