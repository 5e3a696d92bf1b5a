"""Where a path leads: the console at the root, the API under two prefixes."""

from django.urls import include, path

from apps.console.views import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    # Agents spell /public/v1, back ends /v1: one configuration.
    path("public/v1/", include("apps.api.urls", namespace="public")),
    path("v1/", include("apps.api.urls", namespace="v1")),
    # What the hosted plane's own scripts ask for.
    path("api/v1/", include("apps.api.hosted.urls")),
    path("", include("apps.console.urls")),
]

handler400 = "apps.api.errors.bad_request"
handler404 = "apps.console.views.errors.not_found"
handler500 = "apps.console.views.errors.server_error"
