"""`make pictures`: every page as a picture, so that somebody looks at it.

Takes each row of tests/pages.py on three projects (little: almost nothing; demo: `make demo`; ugly: tests/filled.py and
what is long, foreign or odd), at four widths, light and dark, into a folder: `demo_facts_1440_light.png`. An address
whose values a project does not have is left out. `--pages facts,review --data demo --widths 1440,390 --themes dark
--out /tmp/x` take fewer; `--full` the whole height of a page that scrolls.
"""

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tests.servers as servers  # (throw-away servers and their environment, at import)

WIDTHS = {1440: 900, 1024: 768, 820: 1180, 390: 844}
DATA = ("little", "demo", "ugly")
ODD = [
    "العميل يفضل الرد عبر البريد الإلكتروني، ولا يتصل قبل العاشرة.",
    "顧客は返信をメールで受け取りたい。電話は10時以降に限る。",
    "Uses 👩‍👩‍👧‍👦 and e\u0301 in notes | quotes \" ' and 100 % signs, <b>no markup</b>.",
    "A statement that goes on. " * 76,
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=servers.ROOT / "var/pictures")
    parser.add_argument("--pages", default="", help="parts of addresses, e.g. facts,review; overview is /p/…")
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    parser.add_argument("--themes", default="light,dark")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--shown", action="store_true", help="with personal text, which is masked otherwise")
    options = parser.parse_args()
    import django

    django.setup()
    from tests.conftest import use_database
    from tests.live import run_server

    name = "mp_pictures"
    servers.clone(name)
    use_database(name)
    options.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        worlds = make_worlds(options.data.split(","))
        live = run_server(name, Path(folder))
        try:
            take(live.url, worlds, options)
        finally:
            live.stop()


def make_worlds(wanted: list[str]) -> dict[str, dict[str, str]]:
    """The values of tests/pages.py that each project has; ada@example.test may do everything in all of them."""
    from django.core.management import call_command

    from apps.access.actions.grant_role import grant_role
    from apps.extraction.actions.roll_up_days import roll_up_days
    from tests.factories import make_agent, make_fact, make_project, make_user, setup_actor
    from tests.filled import fill

    user, worlds = make_user(name="Ada Byron", email="ada@example.test"), {}
    if "little" in wanted:
        little = make_project("little", "Little")
        make_agent(little, "support")
        make_fact(little, "Refunds take five days.")
        make_project("empty", "Brand new")
        worlds |= {"little": picked(little), "empty": {"slug": "empty"}}
    if "demo" in wanted:
        call_command("demo")
        from apps.tenancy.models import Project

        worlds["demo"] = picked(Project.objects.get(slug="demo"))
    if "ugly" in wanted:
        ugly = make_project("ugly", "Ugly " + "with a long name " * 6)
        worlds["ugly"] = fill(ugly, user)
        for number, text in enumerate(ODD):
            make_fact(ugly, text, user=["u" * 250, "мария|“%”", "张伟", "user with spaces & <tags>"][number])
    roll_up_days()
    from apps.tenancy.models import Project as Every

    for project in Every.objects.exclude(slug="demo"):
        for role in ("admin", "curator", "privacy_officer"):
            grant_role(actor=setup_actor(project), project_id=project.id, user=user, role=role)
    return worlds


def picked(project: Any) -> dict[str, str]:
    """One of each kind that a project has, for the addresses."""
    from django.db import connection

    from apps.access.models import ApiKey
    from apps.core.clock import now
    from apps.core.transactions import bind
    from apps.curation.models import Conflict, Proposal
    from apps.facts.models import Fact
    from apps.insight.actions.count_figures import count_figures
    from apps.tenancy.models import Agent
    from apps.traces.models import Trace

    with connection.cursor() as cursor:
        cursor.execute("SELECT roll_up_reads(20000, interval '0')")
    count_figures(project.id, anew=True)
    with bind(project.id):
        mine = {"project_id": project.id}
        found: dict[str, Any] = {
            "fact_id": Fact.objects.current().filter(**mine, source="learned").last()
            or Fact.objects.filter(**mine).last(),
            "proposal_id": Proposal.objects.waiting().filter(**mine).last(),
            "agent_id": Agent.objects.filter(**mine).first(),
            "subject_id": busiest(project.id),
            "conflict_id": Conflict.objects.filter(**mine, settled_at=None).last(),
            "key_id": ApiKey.objects.filter(**mine).first(),
        }
        trace = Trace.objects.filter(**mine, started_at__isnull=False).last()
    values = {name: str(row.pk) for name, row in found.items() if row is not None}
    if found["agent_id"] is not None:
        values["agent"] = found["agent_id"].name
    return (
        values
        | {"slug": project.slug, "now": f"{now():%Y-%m-%dT%H:%M:%S}"}
        | ({"trace_id": trace.trace_id} if trace else {})
    )


def busiest(project_id: int) -> Any:
    """The subject with most current facts."""
    from django.db.models import Count

    from apps.facts.models import Fact
    from apps.tenancy.models import Subject

    rows = Fact.objects.current().filter(project_id=project_id, subject_id__isnull=False).values("subject_id")
    top = rows.annotate(n=Count("id")).order_by("-n", "subject_id").first()
    return Subject.objects.filter(id=top["subject_id"]).first() if top else None


def take(url: str, worlds: dict[str, dict[str, str]], options: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    from apps.extraction.actions.note_worker import note_worker
    from tests.conftest import find_browser
    from tests.e2e.conftest import ARGS, ask, unmask
    from tests.factories import PASSWORD

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGS)
        for theme in options.themes.split(","):
            page = browser.new_context(color_scheme=theme, locale="en-GB").new_page()
            page.goto(f"{url}/account/login/")
            page.get_by_label("Email").fill("ada@example.test")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(lambda there: "/account/" not in there)
            for data, values in worlds.items():
                if options.shown:
                    unmask(page, url, values["slug"])
                for name, address in shown(values, options.pages.split(",")):
                    ask(lambda: note_worker(name="worker@pictures"))
                    page.goto(url + address)
                    page.wait_for_load_state("networkidle")
                    if "/reauthenticate/" in page.url and "/reauthenticate/" not in address:
                        page.get_by_label("Password").fill(PASSWORD)
                        page.get_by_role("button", name="Confirm").click()
                        page.wait_for_load_state("networkidle")
                    for width in map(int, options.widths.split(",")):
                        page.set_viewport_size({"width": width, "height": WIDTHS.get(width, 900)})
                        file = options.out / f"{data}_{name}_{width}_{theme}.png"
                        page.screenshot(path=file, full_page=options.full)
                        print(file)
            page.context.close()
        browser.close()


def shown(values: dict[str, str], parts: list[str]) -> list[tuple[str, str]]:
    """(name of the file, address) of the rows that a project has the values for."""
    from tests.pages import NO_PAGE, PAGES

    rows = []
    for route, shown in PAGES.items():
        own = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        for row in shown:
            pattern = row.replace("@", own, 1)
            short = re.sub(r"^/p/\{slug\}/?", "", pattern) or "overview"
            if route in NO_PAGE or not set(re.findall(r"\{(\w+)\}", pattern)) <= set(values):
                continue
            if (values["slug"] in {"demo", "little"} or pattern.startswith("/p/")) and any(
                part in short for part in parts
            ):
                rows.append(
                    (re.sub(r"[^a-z0-9]+", "-", short.lower()).strip("-")[:60] or "home", pattern.format(**values))
                )
    return rows


if __name__ == "__main__":
    main()
