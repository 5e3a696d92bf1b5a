"""Every page of tests/pages.py in a real browser: nothing that axe-core finds in either theme, nothing that the policy
forbids, nothing that scrolls sideways at 320 px or 400 %, a name of its own, and all of it without JavaScript.

One server, one browser and one tab walk over all pages. Colours alone differ between the themes, so that in the dark
one only the rule about contrast runs.
"""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.console.pages import revised
from tests.e2e.conftest import Scene, Tab, ask
from tests.factories import make_fact, make_project
from tests.filled import fill
from tests.pages import addresses

pytestmark = pytest.mark.e2e

AXE = (Path(__file__).parents[1] / "vendor/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
RUN = """async (asked) => {
  const [tags, within] = Array.isArray(asked[0]) ? asked : [asked, ''];
  const only = tags.length === 1 ? { type: 'rule', values: tags } : { type: 'tag', values: tags };
  const found = await axe.run(within || document, { runOnly: only, resultTypes: ['violations'] });
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
}"""
# What opens on a page by itself is the account's menu; the rest is a page's own.
# Menus lie over the page, so one at a time is open, as for a person; what only unfolds is looked at together.
OPEN = """(n) => {
  const own = [...document.querySelectorAll('main details, .drawer details')].filter((one) => one.checkVisibility());
  const menus = own.filter((one) => one.matches('[data-menu]'));
  const chosen = n < menus.length ? [menus[n]] : n === menus.length ? own.filter((one) => !menus.includes(one)) : [];
  for (const one of own) one.open = chosen.includes(one);
  return chosen.length;
}"""
MENUS = "document.querySelectorAll('main details[data-menu], .drawer details[data-menu]').length"
IDLE = """() => !document.querySelector('[aria-busy=true]')
  && [...document.querySelectorAll('[aria-busy]')].every((one) => getComputedStyle(one).opacity === '1')"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# At 320 × 256, which is 1280 × 1024 at 400 %: what scrolls sideways is a region that can be reached and has a name, and
# what stays in place leaves at least half of the window.
SLITS = """() => {
  const found = [], shown = [...document.body.querySelectorAll('*')].filter((one) => one.checkVisibility());
  for (const one of shown) {
    const style = getComputedStyle(one);
    if (one.scrollWidth > one.clientWidth + 1 && ['auto', 'scroll'].includes(style.overflowX)
        && !(one.tabIndex === 0 && (one.ariaLabel || one.getAttribute('aria-labelledby'))) && !one.matches('.tabs, textarea'))
      found.push(`scrolls sideways: ${one.outerHTML.slice(0, 120)}`);
  }
  const stuck = shown.filter((one) => ['sticky', 'fixed'].includes(getComputedStyle(one).position))
    .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 160 && box.top < innerHeight && box.bottom > 0);
  const taken = stuck.reduce((sum, box) => sum + Math.min(box.bottom, innerHeight) - Math.max(box.top, 0), 0);
  return taken > innerHeight / 2 ? [...found, `${taken} px of ${innerHeight} stay in place`] : found;
}"""
OUTSIDE = """() => [...document.querySelectorAll('main details[data-menu], .drawer details[data-menu]')]
  .filter((menu) => menu.checkVisibility()).flatMap((menu) => {
    const { open } = menu;
    menu.open = true;
    const box = menu.querySelector('.pop')?.getBoundingClientRect();
    menu.open = open;
    return box && box.width && (box.left < 0 || box.right > innerWidth)
      ? [`menu from ${box.left} to ${box.right} px: ${menu.textContent.trim().slice(0, 40)}`] : [];
  })"""
# Rules that axe does not know: landmarks have names of their own, the way past the frame comes first, help is in one
# place, a time says its moment, a table what it is, a label its meaning in words.
RULES = """() => {
  const wrong = [], all = (css) => [...document.querySelectorAll(css)];
  const shown = (css) => all(css).filter((one) => one.checkVisibility());
  const html = (one) => one.outerHTML.replace(/\\s+/g, ' ').slice(0, 140);
  const first = document.querySelector('a[href], button, input, summary');
  if (document.querySelector('.side') && !first.matches('a.skip[href="#main"]')) wrong.push(`begins with ${html(first)}`);
  const names = shown('nav, aside, [role=region], section[aria-label]').map((one) => {
    const of = one.getAttribute('aria-labelledby');
    return `${one.localName} ${one.ariaLabel || (of && document.getElementById(of)?.textContent.trim()) || ''}`;
  });
  for (const name of names)
    if (name.endsWith(' ') || names.indexOf(name) !== names.lastIndexOf(name)) wrong.push(`landmark “${name}”`);
  if (document.querySelector('.side')) {
    if (all('.foot .acct .pop [data-help]').length !== 1 || all('[data-help]').length !== 1) wrong.push('help is elsewhere');
    if (all('#live[role=status]').length !== 1 || all('#problem[role=alert]').length !== 1) wrong.push('nowhere to say it');
  }
  for (const one of all('main time, .drawer time')) if (!one.dateTime || !one.title) wrong.push(`time ${html(one)}`);
  for (const one of all('main table, .drawer table')) {
    if (!one.caption || one.matches('[role]')) wrong.push(`table ${html(one)}`);
    if (one.querySelector('thead th:not([scope])')) wrong.push(`heading without scope in ${html(one)}`);
    if (one.querySelectorAll('[aria-sort]').length > 1) wrong.push(`sorted twice: ${html(one)}`);
  }
  for (const one of all('.tag, .due, .vd, .dot, .n.hot, .outcome, .flags li, .why li, .banner, .toast')) {
    const said = one.closest('a, td, summary, li, .head, .d-head, p, div').textContent.trim();
    if (!(one.textContent.trim() || said || one.querySelector('svg'))) wrong.push(`colour alone: ${html(one)}`);
  }
  for (const one of all('tr.gone')) if (!/superseded|retired|expired|revoked|held|off|forgotten/i.test(one.textContent))
    wrong.push(`struck without a word: ${html(one)}`);
  for (const one of all('tr .bar.low')) if (!/\\d/.test(one.parentElement.textContent)) wrong.push(`amber alone: ${html(one)}`);
  return wrong;
}"""


@pytest.fixture
def values(scene: Scene) -> dict[str, str]:
    """What the addresses of tests/pages.py name."""
    make_project("other")
    return fill(scene.project, scene.user)


@pytest.fixture
def paths(values: dict[str, str]) -> list[str]:
    """The address of every page, with something to show, something long, something held and something decided."""
    return [address for _, address in addresses(values, pages_only=True)] + ["/p/other/facts"]


class Eye:
    """Looks at what a tab shows, in both themes, and keeps what it finds by the page's name."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.found = tab, dict[str, list[str]]()

    def look(self, name: str, within: str = "") -> None:
        """At the whole page, or at what a selector finds: an open menu lies over what is beside it."""
        page = self.tab.page
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE)
        # What is being loaded is pale until it is there, and a message comes in gently.
        page.wait_for_function(IDLE)
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished)).then(() => 0)")
        violations = page.evaluate(RUN, [TAGS, within])
        page.emulate_media(color_scheme="dark")
        violations += [f"dark: {one}" for one in page.evaluate(RUN, [["color-contrast"], within])]
        page.emulate_media(color_scheme="light")
        if violations:
            self.found[name] = violations


def test_every_page(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page, eye = tab.page, Eye(tab)
    others: dict[str, list[str]] = {}
    tab.go("/account/login/")
    eye.look("login")
    tab.log_in()
    looked: set[str] = set()
    titles: dict[str, set[str]] = {}
    for path in paths:
        tab.errors.clear()
        status = tab.go(path)
        wrong = [] if status in {200, 404, 422} else [f"answers {status}"]
        # A page that is not there is an error to the browser too.
        wrong += [error for error in tab.errors if status == 200 or str(status) not in error]
        wrong += tab.violations()
        if page.locator("h1").count() != 1 or page.locator("main").count() != 1:
            wrong.append("not one main with one h1")
        if len(re.sub(r"\s+", " ", page.title())) <= len("· Memory plane") + 3:
            wrong.append("has no title of its own")
        page.wait_for_function(IDLE)
        wrong += page.evaluate(RULES)
        for width, height in ((320, 256), (820, 800)):
            page.set_viewport_size({"width": width, "height": height})
            if (beyond := page.evaluate(TOO_WIDE)) > 0:
                wrong.append(f"{beyond} px too wide at {width} px")
            if width == 320:
                wrong += page.evaluate(SLITS)
            wrong += page.evaluate(OUTSIDE)
        page.set_viewport_size({"width": 1440, "height": 900})
        kind = re.sub(r"[0-9a-f-]{8,}|\d+", "#", path.partition("?")[0])
        # A title is of the page that was reached: some addresses lead to another, and what isn't there is all one.
        if status != 404:
            ends = (page.title().strip(), urlsplit(page.url).path)
            title, ended = (re.sub(r"[0-9a-f-]{8,}|\d+", "#", text) for text in ends)
            titles.setdefault(title, set()).add(ended)
        if wrong:
            others[path] = wrong
        eye.look(path)
        # With every menu of the page open: once for each kind of page.
        for number in range(page.evaluate(MENUS) + 1 if kind not in looked else 0):
            if page.evaluate(OPEN, number):
                eye.look(f"{path} with its menu {number} open", "details[open]")
        looked.add(kind)
    for path, wrong in [*eye.found.items(), *others.items()]:
        print(path, *wrong, sep="\n  ")
    assert (list(eye.found), list(others)) == ([], [])
    assert [(title, kinds) for title, kinds in titles.items() if len(kinds) > 1] == []
    # The watch itself sees what it should.
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    assert any("style-src" in violation for violation in tab.violations())


def test_what_opens_over_a_page(scene: Scene, values: dict[str, str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page, eye = tab.page, Eye(tab)
    tab.log_in()
    page.keyboard.press("?")
    eye.look("keys")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    eye.look("go")
    page.keyboard.type("refund")
    page.locator("#go-results h2", has_text="Facts").wait_for()
    eye.look("go with results")
    page.keyboard.press("Escape")
    page.locator(".acct summary").click()
    eye.look("account")
    tab.go("/p/acme/settings/keys/new")
    page.get_by_role("button", name="Create key").click()
    eye.look("a form with errors")
    page.get_by_role("textbox", name="Name").fill("backend")
    page.get_by_role("button", name="Create key").click()
    page.get_by_label("API key").wait_for()
    eye.look("a new key")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Menu").click()
    eye.look("the menu of a narrow screen")
    # A list that can't be loaded says so, and offers to try again.
    page.set_viewport_size({"width": 1440, "height": 900})
    tab.go("/p/acme/facts")
    page.route("**/p/acme/facts?*", lambda route: route.abort())
    page.get_by_role("searchbox").first.fill("nothing")
    page.locator("#problem .banner").wait_for()
    eye.look("a list that failed")
    # Ticked, beside the drawer; one that can't be loaded; an edit that somebody was faster with; a verdict and its toast.
    fact = ask(lambda: make_fact(scene.project, "The window is blue."))
    tab.go("/p/acme/facts")
    page.locator("input[data-select]").first.check()
    page.get_by_role("link", name="The window is blue.").click()
    expect(page.locator("#drawer h2").first).to_be_focused()
    eye.look("the drawer, and one ticked")
    page.route(re.compile(r"/facts/\d+"), lambda route: route.abort())
    page.locator("tr[data-row] a.fact").nth(1).click()
    page.locator("#problem .banner").wait_for()
    eye.look("a drawer that failed")
    page.unroute(re.compile(r"/facts/\d+"))
    tab.go(f"/p/acme/facts/{fact.id}/edit")
    ask(lambda: revised(scene.project, fact, "The window is green."))
    page.get_by_label("Fact", exact=True).fill("The window is red.")
    page.get_by_role("button", name="Save new version").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("changed meanwhile")
    eye.look("an edit that came too late")
    tab.go(f"/p/acme/review?open={values['proposal_id']}")
    page.get_by_role("complementary", name="Details").locator(".d-fact").wait_for()
    page.keyboard.press("r")
    eye.look("reasons to reject")
    page.keyboard.press("1")
    page.locator("#toasts .toast").wait_for()
    eye.look("a toast")
    page.set_viewport_size({"width": 390, "height": 844})
    eye.look("a toast on a narrow screen")
    assert eye.found == {}


def test_every_page_without_javascript(scene: Scene, paths: list[str], open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(java_script_enabled=False)
    page = tab.page
    tab.log_in()
    dead: dict[str, list[str]] = {}
    for path in paths:
        assert tab.go(path) in {200, 404, 422}
        # What needs scripts is not there; what is there leads on by itself.
        found = [one.inner_text() for one in page.locator(".needs-js:visible").all()]
        found += [
            one.inner_text()
            for one in page.locator("main button[type=button]:visible:not([popovertarget]), main a:not([href])").all()
        ]
        if found:
            dead[path] = found
    assert dead == {}
