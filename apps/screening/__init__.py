"""Detectors of secrets, personal data, injection and hidden characters: text in, findings out; no database."""
