"""Privacy requests: the list with its deadlines, one request from its first day to its receipt, holds, packages."""

from apps.console.views.privacy.answers import account, act, approve
from apps.console.views.privacy.detail import detail
from apps.console.views.privacy.holds import hold, holds
from apps.console.views.privacy.listing import listing
from apps.console.views.privacy.new import new
from apps.console.views.privacy.package import package
from apps.console.views.privacy.receipt import receipt, receipt_json

__all__ = [
    "account",
    "act",
    "approve",
    "detail",
    "hold",
    "holds",
    "listing",
    "new",
    "package",
    "receipt",
    "receipt_json",
]
