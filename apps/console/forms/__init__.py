"""What people type, parsed. What may be stored is decided by the verb; its refusal is shown in the form."""
