"""`__length` for text (code points) and bytes, `__octets` for text (bytes), so that constraints can bound them."""

from django.db.models import BinaryField, CharField, IntegerField, TextField, Transform
from django.db.models.functions import Length


class Octets(Transform):
    lookup_name = "octets"
    function = "octet_length"
    output_field = IntegerField()


for field in (CharField, TextField, BinaryField):
    field.register_lookup(Length)
TextField.register_lookup(Octets)
