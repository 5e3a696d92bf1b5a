"""A server that the product did not start: what it lacks is said, with SQL that mends it."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from memoryplane import database, embedded
from memoryplane.embedded import StartupFault
from memoryplane.embedded.postgres import Postgres


class Given:
    """A server with one database `given`, its roles, and a superuser to mend things."""

    def __init__(self, servers: embedded.Servers) -> None:
        postgres = servers.running[0]
        assert isinstance(postgres, Postgres)
        self.postgres = postgres

    def url(self, role: str) -> str:
        return self.postgres.url(role, "given")

    def superuser(self, *statements: str, database: str = "given") -> None:
        with self.postgres.connect(database) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[arg-type]

    def roles(self) -> list[tuple[object, ...]]:
        with self.postgres.connect("postgres") as connection:
            return connection.execute(
                "SELECT rolname, rolpassword FROM pg_authid WHERE rolname LIKE 'memoryplane%' ORDER BY 1"
            ).fetchall()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[embedded.Servers]:
    servers = embedded.start(tmp_path_factory.mktemp("given"), throwaway=True, redis=False)
    rules = servers.home.postgres / "pg_hba.conf"
    rules.write_text("local all memoryplane_app scram-sha-256\n" + rules.read_text())
    Given(servers).superuser("SELECT pg_reload_conf()", database="postgres")
    yield servers
    servers.stop()


@pytest.fixture
def given(server: embedded.Servers) -> Iterator[Given]:
    """A bare database of the owner `boss`, who may do nothing but own it, and no application role."""
    found = Given(server)
    found.superuser(
        "DROP DATABASE IF EXISTS given WITH (FORCE)",
        "DROP DATABASE IF EXISTS memoryplane WITH (FORCE)",
        "DROP ROLE IF EXISTS memoryplane_app",
        "DROP ROLE IF EXISTS app",
        "DROP ROLE IF EXISTS boss",
        "CREATE ROLE boss LOGIN",
        "CREATE DATABASE given OWNER boss TEMPLATE template0",
        database="postgres",
    )
    yield found


def test_what_is_missing_is_said_at_once_with_sql_that_mends_it(given: Given) -> None:
    app_url = database.app_address(given.url("boss"), "")
    with pytest.raises(StartupFault) as refused:
        database.prepare_given(given.url("boss"), app_url, make_role=True)
    text = str(refused.value)
    assert "this role may not make the extension vector" in text
    assert "this role may not make the role memoryplane_app" in text
    assert given.roles() == [("memoryplane_owner", None)]
    statements = [line.strip().rstrip(";") for line in text.splitlines() if line.startswith("    ")]
    assert [statement.split("(")[0].split("PASSWORD")[0].strip() for statement in statements] == [
        "CREATE EXTENSION vector",
        "CREATE ROLE memoryplane_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE",
        'GRANT CONNECT, TEMPORARY ON DATABASE "given" TO memoryplane_app',
        "GRANT USAGE ON SCHEMA public TO memoryplane_app",
    ]
    password = urlsplit(app_url).password
    assert password and password not in text
    given.superuser(*statements)
    database.prepare_given(given.url("boss"), app_url, make_role=True)
    with pytest.raises(StartupFault, match="password authentication failed"):
        database.connect(app_url.replace(password, "wrong"), "DATABASE_APP_URL")


def test_an_owner_who_may_makes_the_application_role_once(given: Given) -> None:
    given.superuser("ALTER ROLE boss CREATEROLE", "CREATE EXTENSION vector")
    url = database.app_address(given.url("boss"), "")
    database.prepare_given(given.url("boss"), url, make_role=True)
    assert [name for name, _ in given.roles()] == ["memoryplane_app", "memoryplane_owner"]
    assert database.app_address(given.url("boss"), url) == url
    database.prepare_given(given.url("boss"), url, make_role=True)
    with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("CREATE TABLE mine (n int)")


def test_an_application_role_of_another_installation_is_left_alone(given: Given) -> None:
    given.superuser("ALTER ROLE boss SUPERUSER")
    database.prepare_given(given.url("boss"), database.app_address(given.url("boss"), ""), make_role=True)
    before = given.roles()
    with pytest.raises(StartupFault, match="there already with another password"):
        database.prepare_given(given.url("boss"), database.app_address(given.url("boss"), ""), make_role=True)
    assert given.roles() == before


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("CREATE ROLE app LOGIN SUPERUSER", "the application role app is a superuser"),
        ("CREATE ROLE app LOGIN BYPASSRLS", "the application role app has BYPASSRLS"),
        ("CREATE ROLE app LOGIN IN ROLE boss", "the application role app is a member of the owner boss"),
    ],
)
def test_a_role_that_could_get_around_the_policies_is_refused(given: Given, statement: str, sentence: str) -> None:
    given.superuser("CREATE EXTENSION vector", statement)
    with pytest.raises(StartupFault, match=sentence):
        database.prepare_given(given.url("boss"), given.url("app"), make_role=False)
    with pytest.raises(StartupFault, match=sentence):
        database.refuse_wrong_role(given.url("boss"), given.url("app"))


def test_the_owner_as_application_role_is_refused(given: Given) -> None:
    given.superuser("CREATE EXTENSION vector")
    with pytest.raises(StartupFault, match="names the owner boss"):
        database.prepare_given(given.url("boss"), given.url("boss"), make_role=False)


def test_two_databases_are_refused(given: Given) -> None:
    given.superuser("CREATE EXTENSION vector", "CREATE ROLE app LOGIN")
    elsewhere = given.postgres.url("app", "postgres")
    with pytest.raises(StartupFault, match="name different databases"):
        database.prepare_given(given.url("boss"), elsewhere, make_role=False)


def test_an_old_server_and_an_old_extension_are_named(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    given.superuser("CREATE EXTENSION vector", "CREATE ROLE app LOGIN")
    monkeypatch.setattr(database, "OLDEST_SERVER", 99)
    monkeypatch.setattr(database, "OLDEST_VECTOR", (9, 9, 9))
    with pytest.raises(StartupFault, match=r"it is PostgreSQL 18, and 99 is .*; its pgvector is 0\.8"):
        database.prepare_given(given.url("boss"), given.url("app"), make_role=False)


def test_a_server_that_is_away_is_a_sentence_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql://boss:hidden@/given?host={tmp_path}"
    with pytest.raises(StartupFault, match="The database of DATABASE_URL can't be reached") as refused:
        database.prepare_given(url, url, make_role=False)
    assert "hidden" not in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    database.refuse_wrong_role(url, url)  # no fault: requests are answered with 503 until it is back
