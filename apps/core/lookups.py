"""`__length` for text (code points) and bytes, so that constraints can bound them."""

from django.db.models import BinaryField, CharField, TextField
from django.db.models.functions import Length

for field in (CharField, TextField, BinaryField):
    field.register_lookup(Length)
