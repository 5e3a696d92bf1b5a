"""The few routes of the hosted plane's console that its SDK's own tests and scripts drive: the same verbs in other words.

A person logs in and gets a token for an hour; a domain and its project are both our project, a memory is a fact of an agent,
and to redact is to forget."""
