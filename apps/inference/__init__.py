"""Chat and embedding models behind two small interfaces; no database."""
