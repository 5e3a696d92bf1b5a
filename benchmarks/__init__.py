"""Figures beside their goals. Each script takes ``--control``, runs its named broken variant, and must then fail."""
