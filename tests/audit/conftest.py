"""The world in which every route of the console is asked, for the tests of what that leaves in the audit log."""

from tests.console.test_routes import world

__all__ = ["world"]
