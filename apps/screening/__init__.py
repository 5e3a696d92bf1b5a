"""Detectors of secrets, personal data, injection and hidden characters: text in, findings out; no database.

`screen.screen` reads one text, `screen.mask` hides its secrets, `payload.mask_json` does so in any JSON value. The same
text gives the same findings until `findings.RULESET` changes. A finding holds where and what kind, never the text.
"""
