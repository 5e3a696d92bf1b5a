"""The ASGI application, for servers that speak it; the product itself needs none of its features."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")
application = get_asgi_application()
