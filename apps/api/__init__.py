"""The face for agents and back ends: parses a request, calls a verb or a query, shapes JSON. Holds no rule."""
