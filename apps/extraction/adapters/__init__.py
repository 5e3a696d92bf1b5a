"""Outward calls: the extractor that asks a chat model."""
