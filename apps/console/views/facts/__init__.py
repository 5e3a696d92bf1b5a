"""The Facts area: the list with its drawer, one fact, writing, and forgetting."""

from apps.console.views.facts.bulk_page import bulk
from apps.console.views.facts.export_page import export
from apps.console.views.facts.facets_page import facet_menus
from apps.console.views.facts.fact_page import detail
from apps.console.views.facts.forget_page import forget
from apps.console.views.facts.form_pages import edit, new
from apps.console.views.facts.history_page import versions
from apps.console.views.facts.list_page import listing
from apps.console.views.facts.masking_page import masking
from apps.console.views.facts.views_page import one_view, view_delete, views

__all__ = [
    "bulk",
    "detail",
    "edit",
    "export",
    "facet_menus",
    "forget",
    "listing",
    "masking",
    "new",
    "one_view",
    "versions",
    "view_delete",
    "views",
]
