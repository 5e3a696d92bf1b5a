"""Chat and embedding models behind two small interfaces; no database.

`chat.ChatModel` answers one prompt, `embeddings.Embedder` turns texts into vectors, `calls` bounds how often and how
long either is asked. What was asked and answered is in the return value alone: never in a log or in an error's text.
"""
