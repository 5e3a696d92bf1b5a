"""The project: settings, URL roots, the job application, and how the whole thing is run."""
