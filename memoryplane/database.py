"""What memoryplane asks of a PostgreSQL server that it did not start: looked at, and made where it may be.

Needs no Django: it runs before there are settings, and in `doctor`.
"""

import re
import secrets
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from memoryplane.embedded import StartupFault
from memoryplane.embedded.postgres import APP, EXTENSIONS

OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8, 4)
Connection = psycopg.Connection[tuple[object, ...]]


@dataclass
class Wanting:
    """What a server lacks: sentences for a person, and the SQL with which a superuser mends it."""

    sentences: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)

    def add(self, sentence: str, *statements: str) -> None:
        self.sentences.append(sentence)
        self.statements += statements

    def fault(self, database: str) -> StartupFault:
        lines = [f"The server of DATABASE_URL lacks what memoryplane needs: {'; '.join(self.sentences)}."]
        if self.statements:
            lines.append(f'A superuser of that server can run, connected to the database "{database}":')
            lines += [f"    {statement};" for statement in self.statements]
        return StartupFault("\n".join(lines))


def connect(url: str, name: str) -> Connection:
    """A connection of its own. Raises StartupFault naming the variable, never its value."""
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=5)
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        reason = " ".join(str(error).split()).removeprefix("connection failed: ")
        raise StartupFault(f"The database of {name} can't be reached: {reason}") from error


def value(connection: Connection, query: str, *parameters: object) -> object:
    row = connection.execute(query, parameters).fetchone()
    return row[0] if row else None


def name_of(connection: Connection) -> str:
    return str(value(connection, "SELECT current_database()"))


def lacks_as_owner(connection: Connection, *, make: bool = True) -> Wanting:
    """Version, extensions and rights as the owner role; with `make`, makes the extensions where it may."""
    wanting = Wanting()
    number = connection.info.server_version
    if number < OLDEST_SERVER * 10_000:
        wanting.add(f"it is PostgreSQL {number // 10_000}, and {OLDEST_SERVER} is the oldest that works")
    for extension in EXTENSIONS:
        want_extension(connection, extension, wanting, make)
    if not value(connection, "SELECT has_schema_privilege('public', 'CREATE')"):
        role, database = str(value(connection, "SELECT current_user")), name_of(connection)
        wanting.add(
            f"the role {role} may not make tables in the schema public",
            f'GRANT CREATE, USAGE ON SCHEMA public TO "{role}"',
            f'GRANT CONNECT, TEMPORARY ON DATABASE "{database}" TO "{role}" WITH GRANT OPTION',
        )
    return wanting


def want_extension(connection: Connection, extension: str, wanting: Wanting, make: bool) -> None:
    installed = value(connection, "SELECT extversion FROM pg_extension WHERE extname = %s", extension)
    offered = value(connection, "SELECT default_version FROM pg_available_extensions WHERE name = %s", extension)
    newest = str(installed or offered or "")
    if not newest:
        wanting.add(f"the extension {extension} is not installed on it (package postgresql-NN-pgvector or contrib)")
    elif extension == "vector" and version_numbers(newest) < OLDEST_VECTOR:
        mend = ["ALTER EXTENSION vector UPDATE"] if version_numbers(str(offered or "")) >= OLDEST_VECTOR else []
        wanting.add(f"its pgvector is {newest}, and 0.8.4 is the oldest that works", *mend)
    elif not installed and not make:
        wanting.add(f"the extension {extension} is not made in this database", f"CREATE EXTENSION {extension}")
    elif not installed:
        try:
            connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension)))
        except psycopg.errors.InsufficientPrivilege:
            wanting.add(f"this role may not make the extension {extension}", f"CREATE EXTENSION {extension}")


def version_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def url_for_app(owner_url: str, password: str) -> str:
    """The owner's address with the application role's name and password in it."""
    parts = urlsplit(owner_url)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{APP}:{quote(password, safe='')}@{place}"))


def same_place(one: str, other: str) -> bool:
    """Whether two addresses differ in nothing but the user."""

    def place(url: str) -> tuple[str, ...]:
        parts = urlsplit(url)
        return (parts.netloc.rpartition("@")[2], parts.path, parts.query)

    return place(one) == place(other)


def app_address(owner_url: str, known_url: str) -> str:
    """Where the application role of our making is reached: `known_url` of an earlier start when it is the same
    database, else with a new password. To be kept before the role is made, or the password is lost.
    """
    if known_url and same_place(known_url, owner_url):
        return known_url
    return url_for_app(owner_url, secrets.token_urlsafe(32))


def want_app_role(connection: Connection, url: str, wanting: Wanting) -> None:
    """Make the application role of `url` where it is not there and this role may.

    The password is sent and printed only as its SCRAM verifier, which lets nobody in. A role that is there and does
    not know the password is left alone: another installation may live by it.
    """
    exists = value(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", APP)
    if exists and can_connect(url):
        return
    password = unquote(urlsplit(url).password or "").encode()
    verifier = connection.pgconn.encrypt_password(password, APP.encode(), b"scram-sha-256").decode()
    rights = "LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE"
    grants = app_grants(name_of(connection))
    if exists:
        wanting.add(
            f"the role {APP} is there already with another password (give DATABASE_APP_URL, or change it if no other"
            " installation uses it)",
            f"ALTER ROLE {APP} {rights} PASSWORD '{verifier}'",
            *grants,
        )
        return
    try:
        # Naming the other attributes is a superuser's act, even to take them away; they are off by default.
        connection.execute(f"CREATE ROLE {APP} LOGIN PASSWORD '{verifier}'")
    except psycopg.errors.InsufficientPrivilege:
        statement = f"CREATE ROLE {APP} {rights} PASSWORD '{verifier}'"
        wanting.add(f"this role may not make the role {APP} (or give DATABASE_APP_URL)", statement, *grants)
        return
    for grant in grants:
        connection.execute(grant)


def app_grants(database: str) -> list[str]:
    return [
        f'GRANT CONNECT, TEMPORARY ON DATABASE "{database}" TO {APP}',
        f"GRANT USAGE ON SCHEMA public TO {APP}",
    ]


def can_connect(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def app_role_faults(owner: Connection, app: Connection) -> list[str]:
    """Why the application must not run as this role; empty when it may."""
    oid = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    place = f"SELECT pg_postmaster_start_time()::text || {oid}"
    if value(owner, place) != value(app, place):
        return ["DATABASE_APP_URL and DATABASE_URL name different databases"]
    faults = []
    owner_name, app_name = (str(value(role, "SELECT current_user")) for role in (owner, app))
    if owner_name == app_name:
        return [f"DATABASE_APP_URL names the owner {owner_name}; it must be a role of its own"]
    row = app.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    assert row is not None
    if row[0]:
        faults.append(f"the application role {app_name} is a superuser")
    if row[1]:
        faults.append(f"the application role {app_name} has BYPASSRLS")
    if not row[0] and value(app, "SELECT pg_has_role(current_user, %s::name, 'MEMBER')", owner_name):
        faults.append(f"the application role {app_name} is a member of the owner {owner_name}")
    if value(app, "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole AND relkind IN ('r', 'p')"):
        faults.append(f"the application role {app_name} owns tables")
    return faults


def refuse_wrong_role(owner_url: str, app_url: str) -> None:
    """For web and worker processes at their start. Raises StartupFault when the application's role could get
    around row-level security; a server that is away is no fault, requests are answered with 503 until it is
    back.
    """
    try:
        with connect(owner_url, "DATABASE_URL") as owner, connect(app_url, "DATABASE_APP_URL") as app:
            faults = app_role_faults(owner, app)
    except StartupFault:
        return
    if faults:
        raise StartupFault(f"memoryplane refuses to run: {'; '.join(faults)}.")


def refuse_unreplayed(app_url: str) -> None:
    """For web and worker processes at their start. Raises StartupFault while a restored database still holds what was
    erased after its backup; a server that is away, or has no schema yet, is no fault here."""
    try:
        with connect(app_url, "DATABASE_APP_URL") as app:
            if value(app, "SELECT to_regclass('privacy_restoration') IS NULL"):
                return
            waits = value(app, "SELECT EXISTS (SELECT FROM privacy_restoration WHERE replayed_at IS NULL)")
    except StartupFault:
        return
    if waits:
        raise StartupFault(
            "memoryplane refuses to run: the database was restored from a backup and may hold what was erased since. "
            "Run manage.py restore --replay first."
        )


def prepare_given(owner_url: str, app_url: str, *, make_role: bool) -> None:
    """Look at the server of DATABASE_URL and make what may be made: the extensions, and with `make_role` the
    application role of `app_url`. Raises StartupFault with all that is missing at once.
    """
    with connect(owner_url, "DATABASE_URL") as owner:
        wanting = lacks_as_owner(owner)
        if make_role:
            want_app_role(owner, app_url, wanting)
        if wanting.sentences:
            raise wanting.fault(name_of(owner))
        with connect(app_url, "DATABASE_APP_URL") as app:
            faults = app_role_faults(owner, app)
    if faults:
        raise StartupFault(f"memoryplane refuses to run: {'; '.join(faults)}.")
