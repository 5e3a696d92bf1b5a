"""How each kind of model is called. Imported when a model is first used, because their libraries are slow to load."""
