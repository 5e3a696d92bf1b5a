"""The WSGI application that the web processes serve. It refuses to run as the owner or a superuser."""

import os
import sys

from django.core.wsgi import get_wsgi_application

from memoryplane.startup import refusal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")
application = get_wsgi_application()
if reason := refusal():
    sys.exit(reason)
