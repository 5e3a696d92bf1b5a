"""Loads the SQL that the ORM can't say from `apps/<app>/sql/<name>.sql`."""

from functools import cache
from importlib import resources


@cache
def load(app_package: str, name: str) -> str:
    """The text of `apps/<app>/sql/<name>.sql`, read once per process.

    `app_package` is "recall", "apps.recall" or any module below it, so that `__package__` and `__name__`
    both work. Raises FileNotFoundError naming the file.
    """
    app = app_package.removeprefix("apps.").partition(".")[0]
    file = resources.files(f"apps.{app}") / "sql" / f"{name}.sql"
    if not file.is_file():
        raise FileNotFoundError(f"There is no SQL file apps/{app}/sql/{name}.sql.")
    return file.read_text(encoding="utf-8")
