"""What web and worker processes look at before they serve, however they were started."""

from memoryplane.database import refuse_unreplayed, refuse_wrong_role
from memoryplane.embedded import StartupFault
from memoryplane.env import load


def refusal() -> str:
    """Why this process must not run: its database role could see past row-level security, or the database was restored
    and holds what was erased since. "" when it may.

    A database that is away is no reason: the process waits for it, and `/readyz` says so.
    """
    env = load()
    try:
        refuse_wrong_role(env.text("DATABASE_URL"), env.text("DATABASE_APP_URL"))
        refuse_unreplayed(env.text("DATABASE_APP_URL"))
    except StartupFault as fault:
        return f"memoryplane: {fault}"
    return ""
