"""The frame in a real browser: going anywhere by keyboard, counts that refresh, focus, motion, colours and room.

With tests/e2e/test_pages.py these are the checks of accessibility that axe can't make. One server serves them all.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from apps.core.transactions import bind
from apps.facts.models import Fact
from tests.console.stage import learn
from tests.e2e.conftest import Scene, Tab, ask, make_scene
from tests.factories import make_fact, make_subject, make_user
from tests.live import Live

pytestmark = pytest.mark.e2e

FOCUSED = "document.activeElement !== document.body && document.activeElement.isConnected"
# What moved by itself: without the first half second after an input, as browsers count it.
SHIFT = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
"""


@pytest.fixture(scope="module")
def server(shared_server: Live) -> Live:
    return shared_server


@pytest.fixture(scope="module")
def filled(server: Live) -> Scene:
    scene = make_scene()
    make_user(scene.project, "curator", name="Grace Hopper", email="grace@example.test")
    for number in range(60):
        make_fact(scene.project, f"Rule {number} of the house is kept.")
    make_fact(scene.project, "Prefers replies by email.", user="alice")
    return scene


def test_alice_in_one_breath(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    """Job 1: what do we know about Alice? Ctrl-K, her name, Enter."""
    page = (tab := open_tab()).page
    tab.log_in()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Go to")).to_be_visible()
    page.keyboard.type("alice")
    page.keyboard.press("Enter")
    subject = ask(lambda: make_subject(filled.project, "alice").id)
    page.wait_for_url(f"**/p/acme/subjects/{subject}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("alice")
    assert (tab.errors, tab.violations()) == ([], [])


def test_the_palette_is_walked_with_arrows_and_closes_where_it_opened(
    filled: Scene, open_tab: Callable[..., Tab]
) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    opener = page.get_by_role("link", name="Go to…")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#go-q")).to_be_focused()
    # It is modal: nothing behind it can be reached.
    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#go')")
    page.locator("#go-q").focus()
    page.keyboard.type("replies")
    expect(page.locator("#go-results h2")).to_have_text(["Facts"])
    page.keyboard.press("ArrowDown")
    expect(page.locator("#go-results a").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#go-q")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Go to")).to_be_hidden()
    expect(opener).to_be_focused()


def test_keys_are_heard_outside_fields_alone_and_can_be_switched_off(
    filled: Scene, open_tab: Callable[..., Tab]
) -> None:
    # Somebody else's: the switch is of the account.
    page = (tab := open_tab()).page
    tab.log_in("grace@example.test")
    tab.go("/p/acme/facts")
    page.get_by_role("searchbox").first.focus()
    page.keyboard.type("g r ? j x")
    expect(page).to_have_url(re.compile(r"/facts"))
    expect(page.locator("#keys")).to_be_hidden()
    tab.go("/p/acme/facts")
    page.keyboard.press("?")
    page.get_by_role("switch", name="Use single keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.keyboard.press("?")
    expect(page).to_have_url(re.compile(r"/facts"))
    expect(page.locator("#keys")).to_be_hidden()
    assert (
        page.locator("[aria-keyshortcuts]:not([aria-keyshortcuts='']):not([aria-keyshortcuts='Control+K'])").count()
        == 0
    )


def test_counts_refresh_by_themselves_and_say_so_once(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.go("/p/acme/facts")
    expect(page.locator("#n-facts")).to_have_text("61")
    ask(lambda: learn(filled.project, "t", "Our refund window is 30 days. We ship on Mondays."))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#n-review")).to_have_text("2")
    expect(page.locator("#live")).to_have_text("2 more to review")
    expect(page.locator("#pulse")).to_have_attribute("hx-get", re.compile("said=1"))
    # A tab that nobody looks at asks for nothing.
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(300)
    assert [url for url in asked if "pulse" in url] == []
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_failed_poll_troubles_nobody_and_waits(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    page.route("**/pulse*", lambda route: route.fulfill(status=503, body=""))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "pulse" in request.url else None)
    for _ in range(4):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(200)
    assert len(asked) == 1
    assert page.locator("#problem > *").count() == 0


def test_nothing_moves_when_a_list_refreshes(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.page.context.add_init_script(SHIFT)
    tab.log_in()
    tab.go("/p/acme/facts")
    page.wait_for_timeout(600)
    before = page.evaluate("window.shifted")
    page.get_by_role("link", name="Older").click()
    expect(page).to_have_url(re.compile("cursor="))
    page.wait_for_timeout(700)
    head = page.locator(".head").bounding_box()
    page.get_by_role("link", name="Newer").click()
    page.wait_for_timeout(700)
    assert page.evaluate("window.shifted") - before < 0.01
    assert page.locator(".head").bounding_box() == head
    # What had the focus is gone with its page: it is somewhere all the same.
    assert page.evaluate(FOCUSED)


def test_what_has_the_focus_is_never_under_a_sticky_head(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    page.set_viewport_size({"width": 1024, "height": 520})
    tab.go("/p/acme/facts")
    covered = []
    page.locator("tr[data-row] a.fact").first.focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        hidden = page.evaluate(
            """() => {
              const one = document.activeElement, box = one.getBoundingClientRect();
              if (!one.closest('table') || box.height === 0) return '';
              const on = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              return on && (one.contains(on) || on.contains(one)) ? '' : one.outerHTML.slice(0, 120);
            }"""
        )
        if hidden:
            covered.append(hidden)
    assert covered == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_systems_until_one_is_chosen(filled: Scene, open_tab: Callable[..., Tab], scheme: str) -> None:
    page = (tab := open_tab(color_scheme=scheme)).page
    tab.log_in()
    surface = "getComputedStyle(document.querySelector('.list .body, .list')).colorScheme"
    assert page.evaluate(surface) == "light dark"
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is (scheme == "dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == ("rgb(19, 20, 22)" if scheme == "dark" else "rgb(246, 246, 244)")


def test_nothing_is_animated_for_who_wants_less_motion(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(reduced_motion="reduce")).page
    tab.log_in()
    moving = page.evaluate(
        """[...document.querySelectorAll('*')].filter((one) => {
          const style = getComputedStyle(one);
          return style.animationName !== 'none' || style.transitionDuration.split(',').some((time) => parseFloat(time) > 0);
        }).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert moving == []


def test_selection_and_bars_are_seen_with_forced_colours(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab(forced_colors="active")).page
    tab.log_in()
    current = page.locator(".nav a[aria-current=page]")
    assert current.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    tab.go("/p/acme/facts")
    page.locator("input[data-select]").first.check()
    cell = page.locator("tr:has(input:checked) td").first
    assert cell.evaluate("one => getComputedStyle(one).borderTopWidth") == "2px"


def test_a_drawer_lets_go_and_gives_the_focus_back(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.go("/p/acme/facts")
    row = page.get_by_role("link", name="Rule 59 of the house is kept.")
    row.focus()
    page.keyboard.press("Enter")
    heading = page.locator("#drawer h2").first
    expect(heading).to_be_focused()
    expect(heading).to_contain_text("Fact #")
    # It is beside the list, not over it: Shift-Tab leads back there.
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("!document.activeElement.closest('#drawer') && document.activeElement !== document.body")
    heading.focus()
    page.keyboard.press("Escape")
    expect(row).to_be_focused()
    expect(page.locator("#drawer *")).to_have_count(0)
    # Opened by its address, the focus is in it and its row in sight; Escape leads to that row.
    tab.go(f"/p/acme/facts?open={row.locator('xpath=ancestor::tr').get_attribute('id')[1:]}")
    expect(heading).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("tr[data-row] a.fact", has_text="Rule 59 of")).to_be_focused()
    assert (tab.errors, tab.violations()) == ([], [])


def test_nothing_has_to_be_remembered_or_said_twice(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    """The login takes a pasted password and asks no riddle; a typed confirmation takes a pasted id; help stays put."""
    page = (tab := open_tab()).page
    tab.go("/account/login/")
    assert page.get_by_label("Email").get_attribute("autocomplete") in {"email", "username"}
    assert page.get_by_label("Password").get_attribute("autocomplete") == "current-password"
    fields = "form :is(input:not([type=hidden], [type=checkbox]), select, textarea)"
    assert page.locator(fields).count() == 2
    paste = """(one) => { const data = new DataTransfer(); data.setData('text/plain', 'x');
      return one.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }"""
    assert page.get_by_label("Password").evaluate(paste)
    tab.log_in()
    help_at = """(() => {
      document.querySelector('.acct').open = true;
      return JSON.stringify(document.querySelector('[data-help]').getBoundingClientRect());
    })()"""
    places = []
    for path in ("facts", "review", "settings/keys", "privacy/new"):
        tab.go(f"/p/acme/{path}")
        places.append(page.evaluate(help_at))
    assert places[1:] == places[:-1]
    # What was said when the request was opened is not asked again when it is confirmed.
    page.get_by_label("User", exact=True).fill("alice")
    page.get_by_label("Identity").select_option("document")
    page.get_by_role("button", name="Open and preview").click()
    confirm = page.get_by_label("Type the user's id")
    expect(confirm).to_be_visible()
    assert confirm.evaluate(paste) and confirm.get_attribute("onpaste") is None
    assert [page.get_by_label(label, exact=True).count() for label in ("Identity", "What is asked", "User")] == [
        0,
        0,
        0,
    ]
    confirm.focus()
    page.evaluate("document.execCommand('insertText', false, 'alice')")
    expect(confirm).to_have_value("alice")
    assert (tab.errors, tab.violations()) == ([], [])


def test_a_list_is_a_table_with_what_belongs_to_it(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    for path in ("facts", "review", "traces", "agents"):
        tab.go(f"/p/acme/{path}")
        for table in page.locator("main table.grid").all():
            assert table.locator("caption").count() == 1 and table.get_attribute("role") is None, path
            assert table.locator("thead th:not([scope])").count() == 0, path
            assert table.locator("[aria-sort]").count() <= 1, path
    tab.go("/p/acme/facts")
    assert page.evaluate("document.querySelector('a').classList.contains('skip')")
    assert page.locator("#live[role=status]").count() == 1 and page.locator("#problem[role=alert]").count() == 1
    # A time says its moment, and what is said of it has the whole in its title.
    times = page.locator("main time").evaluate_all("all => all.map((one) => [one.dateTime, one.title])")
    assert times and all(moment and title for moment, title in times)


def test_the_bulk_bar_is_one_stop(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    tab.go("/p/acme/facts")
    page.locator("input[data-select]").first.check()
    expect(page.locator("#live")).to_have_text("1 selected")
    bar = page.locator(".bulk").first
    assert bar.get_attribute("role") == "toolbar" and bar.get_attribute("aria-label")


def test_what_is_new_is_marked_as_seen(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    page = (tab := open_tab()).page
    tab.log_in()
    expect(page.get_by_role("link", name="50+ new facts")).to_be_visible()
    page.get_by_role("button", name="Mark as seen").click()
    expect(page.get_by_text("Nothing new.")).to_be_visible()

    def facts() -> int:
        with bind(filled.project.id):
            return Fact.objects.count()

    assert ask(facts) == 61


def test_preferences_without_scripts(filled: Scene, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(java_script_enabled=False)
    page = tab.page
    tab.log_in("grace@example.test")
    tab.go("/me")
    page.get_by_label("Dark").check()
    page.get_by_label("Time zone").select_option("Asia/Tokyo")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#toasts")).to_contain_text("Saved.")
    expect(page.get_by_text("JST")).to_be_visible()
