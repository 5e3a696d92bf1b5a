"""How a model is asked to consolidate."""
