"""What people type into the console: parsed and shaped here, judged by the verbs."""
