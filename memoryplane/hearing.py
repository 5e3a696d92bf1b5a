"""What a process does first and beat now and then: hear the database's clock, before anything is decided by it."""

import logging

from django.db import Error, connection

logger = logging.getLogger(__name__)


def hear_clock() -> None:
    """A new connection hears it. While the database is away, the time goes on from what was heard last."""
    try:
        connection.ensure_connection()
    except Error as error:
        logger.warning("the database's clock was not heard: %s", type(error).__name__)
    finally:
        connection.close()
