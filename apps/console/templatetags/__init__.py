"""Template tags of the console: shaping for the page, never a rule of the domain."""
