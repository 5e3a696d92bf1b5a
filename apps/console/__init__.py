"""The face for people: parses a form, calls a verb or a query, renders a page. Holds no rule."""
