"""Made-up conversations that fill a project of their own, so that every page has something to show."""
