"""Import, export files and webhooks. Imports propose; webhooks follow the audit rows by a cursor."""
