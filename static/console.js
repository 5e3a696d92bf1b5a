/* Comfort for pages that work without it; docs/console-patterns.md lists the attributes. */
(() => {
  'use strict';
  const doc = document, set = doc.documentElement.dataset;
  const $ = (css, from = doc) => from?.querySelector(css);
  const $$ = (css, from = doc) => [...(from?.querySelectorAll(css) || [])];
  const on = (type, act, capture) => doc.addEventListener(type, act, capture);
  const clone = (id) => $(id).content.firstElementChild.cloneNode(true);
  const store = (name, value) => {
    if (value) set[name] = value; else delete set[name];
    if (set.storage !== 'off') localStorage.setItem(name, value);
  };

  // Saying things
  const say = (text) => {
    $('#live').textContent = '';
    setTimeout(() => { $('#live').textContent = text; }, 50);
  };
  const toast = ({ text, level = 'ok', url, label = 'Undo' }) => {
    const item = clone('#toast-template'), act = $('[data-act]', item);
    item.classList.add(level);
    $('[data-text]', item).textContent = text;
    $('[data-label]', act).textContent = label;
    act.onclick = () => { item.remove(); htmx.ajax('POST', url, { source: $('#toasts'), swap: 'none' }); };
    if (!url) act.remove();
    if (!url && level === 'ok') setTimeout(() => item.remove(), 10000);
    $('#toasts').replaceChildren(item);
    say(text);
  };
  const polls = (elt) => elt.dataset.poll !== undefined;
  const held = new Map();
  let misses = 0;
  const problem = (reason) => ({ detail: { xhr, requestConfig: sent } }) => {
    if (polls(sent.elt)) return;
    const item = clone('#problem-template'), id = xhr?.getResponseHeader('X-Request-ID');
    const what = sent.target.closest('[data-what]')?.dataset.what || 'this part';
    $('[data-text]', item).textContent =
      `Could not ${sent.verb === 'get' ? 'load' : 'save'} ${what} (${reason || xhr.status}).${id ? ` Request ${id}.` : ''}`;
    $('[data-retry]', item).onclick = () => {
      item.remove();
      if (!sent.elt.isConnected) location.reload();
      else htmx.ajax(sent.verb, sent.path, { source: sent.elt, target: sent.target, values: sent.parameters });
    };
    $('#problem').replaceChildren(item);
  };
  on('toast', (event) => toast(event.detail));
  on('htmx:responseError', problem());
  on('htmx:sendError', problem('no connection'));
  on('htmx:timeout', problem('timed out'));

  // Rows and selection
  const rows = () => $$('tr[data-row]');
  const boxes = () => $$('input[data-select]');
  const here = () => rows().indexOf(doc.activeElement.closest('tr[data-row]'));
  let last = 0;
  const goTo = (index) => {
    const row = rows().at(Math.max(0, Math.min(rows().length - 1, index)));
    if (!row) return;
    ($('a.fact', row) || $('a, input', row))?.focus();
    row.scrollIntoView({ block: 'nearest' });
  };
  const step = (by) => goTo(here() < 0 ? last : here() + by);
  const count = () => {
    const all = $('input[data-select-all]'), n = boxes().filter((box) => box.checked).length;
    if (all) {
      all.checked = n > 0 && n === boxes().length;
      all.indeterminate = n > 0 && !all.checked;
    }
    for (const place of $$('[data-selected]')) place.textContent = `${n} selected`;
    bars();
    return n;
  };
  const pick = (checked, which) => {
    if (!which.length) return;
    for (const box of which) box.checked = checked;
    say(`${count()} selected`);
  };
  on('change', ({ target }) => {
    if (target.matches('[data-select-all]')) pick(target.checked, boxes());
    if (target.matches('[data-select]')) say(`${count()} selected`);
    if (target.matches('[data-keys-on]')) { store('keys', target.checked ? '' : 'off'); hints(); }
  });

  // Toolbars: one tab stop, arrows move inside
  const tools = (bar) => $$(':scope > .btn, :scope > * > summary, :scope > label > input', bar).filter((item) => item.checkVisibility());
  const rove = (bar, to) => { for (const item of tools(bar)) item.tabIndex = item === to ? 0 : -1; };
  const bars = () => { for (const bar of $$('[role=toolbar]')) rove(bar, tools(bar)[0]); };
  on('focusin', ({ target }) => {
    const bar = target.closest('[role=toolbar]');
    if (bar && tools(bar).includes(target)) rove(bar, target);
  });
  on('keydown', (event) => {
    const bar = event.target.closest('[role=toolbar]'), all = bar ? tools(bar) : [], at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all.at(to % all.length).focus();
  });

  // Drawer: focus to its heading, and back to the opener
  let opener;
  const markOpen = (link) => {
    for (const row of rows()) row.classList.toggle('open', row === link?.closest('tr'));
    for (const old of $$('tr[data-row] a[aria-current]')) old.removeAttribute('aria-current');
    if (link?.closest('tr')) link.setAttribute('aria-current', 'true');
  };
  const closeDrawer = () => {
    const link = $('#drawer [data-close]'), row = $('tr.open');
    if (!link) return false;
    $('#drawer').replaceChildren();
    history.pushState({ htmx: true }, '', link.href);
    markOpen();
    ((opener?.isConnected && opener) || $('a', row) || $('#main')).focus();
    return true;
  };

  // What is being composed (Chinese, Japanese, Korean, accents) is no search yet.
  on('input', (event) => { if (event.isComposing) event.stopImmediatePropagation(); }, true);
  on('compositionend', ({ target }) => target.dispatchEvent(new Event('input', { bubbles: true })));

  // htmx
  on('htmx:configRequest', ({ detail: { elt, verb, parameters, headers } }) => {
    if (polls(elt)) headers['X-Poll'] = '1';
    if (verb !== 'get') return;
    for (const name of Object.keys(parameters)) if (parameters[name] === '') delete parameters[name];
  });
  const busy = (state) => (event) => {
    const { detail: { target, requestConfig: sent } } = event;
    if (event.defaultPrevented || polls(sent.elt)) return;
    if (state && here() >= 0) last = here();
    target?.setAttribute('aria-busy', state);
    sent.triggeringEvent?.submitter?.setAttribute('aria-disabled', state);
  };
  // What asks by itself waits for somebody to look, longer after each error, and troubles nobody.
  on('htmx:beforeRequest', (event) => {
    const { elt } = event.detail;
    if (polls(elt) && (doc.hidden || Date.now() < (held.get(elt.id) || 0))) event.preventDefault();
  });
  on('htmx:afterRequest', ({ detail: { elt, successful } }) => {
    if (!polls(elt)) return;
    misses = successful ? 0 : misses + 1;
    held.set(elt.id, Date.now() + 1000 * Math.min(600, misses && 30 * 2 ** misses));
  });
  // Menus that are loaded anew stay open, with the focus where it was
  let kept = [], at = '', focused = false;
  on('htmx:beforeSwap', ({ detail: { target } }) => {
    kept = $$('details[data-keep][open]', target).map((menu) => menu.dataset.keep);
    at = target.contains(doc.activeElement) ? doc.activeElement.id : '';
    focused = doc.activeElement !== doc.body;
  });
  on('htmx:afterSwap', ({ detail: { target } }) => {
    for (const name of kept.splice(0)) {
      const menu = $(`details[data-keep="${name}"]`, target);
      if (menu) menu.open = true;
    }
    if (at) doc.getElementById(at)?.focus();
  });
  on('htmx:beforeRequest', busy(true));
  on('htmx:afterRequest', busy(false));
  on('htmx:afterSettle', ({ detail: { target, requestConfig: { elt } } }) => {
    if (polls(elt)) return;
    $('#problem').replaceChildren();
    count();
    hints();
    if (target === elt && target.id === 'drawer') return; // opened with the page: the focus stays
    if (target.id === 'drawer' && target.firstElementChild) {
      if (!target.contains(elt) && elt.isConnected) markOpen(opener = elt);
      $('h2', target)?.focus();
    } else if (focused && doc.activeElement === doc.body) {
      // What had the focus is gone: stay in place.
      if (rows().length) goTo(last); else $('#main')?.focus();
    }
  });

  // After a verdict: on to what stands in the drawer, with a new page where this one is done
  on('decided', () => {
    const next = $('#drawer [data-of]')?.dataset.of, link = $('a.fact', next && doc.getElementById(next));
    markOpen(link);
    if (link) { link.focus(); link.closest('tr').scrollIntoView({ block: 'nearest' }); }
    else if (next || !boxes().length) htmx.ajax('GET', location.pathname + location.search, '#results');
  });

  on('onward', () => goTo(last + 1));

  // Clicks
  on('click', (event) => {
    const hit = (css) => event.target.closest(css);
    for (const menu of $$('details[data-menu][open]')) if (!menu.contains(event.target)) menu.open = false;
    if (hit('#drawer [data-close]') && !event.ctrlKey && !event.metaKey) { event.preventDefault(); closeDrawer(); }
    if (hit('[data-dismiss]')) hit('.toast, .banner').remove();
    if (hit('[data-clear]')) pick(false, boxes());
    if (hit('[data-pick]')) pick(true, $$(hit('[data-pick]').dataset.pick));
    if (hit('[data-step]')) {
      const to = rows()[rows().findIndex((row) => row.matches('.open')) + Number(hit('[data-step]').dataset.step)];
      $('a', to)?.click();
      to?.scrollIntoView({ block: 'nearest' });
    }
    if (hit('[data-help]')) $('#keys').showModal();
    if (hit('[data-dialog]') && !event.ctrlKey && !event.metaKey) { event.preventDefault(); open($(hit('[data-dialog]').dataset.dialog)); }
    if (event.target.matches('dialog')) event.target.close();
    if (hit('[data-set-theme]')) { store('theme', hit('[data-set-theme]').dataset.setTheme); showTheme(); }
    if (hit('[data-copy]')) copyFrom(hit('[data-copy]'));
    if (hit('[data-print]')) print();
  });
  // A double click is one wish. Back shows the form again, ready for another.
  on('submit', (event) => {
    const form = event.target;
    if (!form.matches('[data-once]') || event.defaultPrevented) return;
    if (form.dataset.once) event.preventDefault();
    form.dataset.once = 'sent';
  });
  addEventListener('pageshow', () => { for (const form of $$('[data-once]')) form.dataset.once = ''; });
  const open = (dialog) => { dialog?.showModal(); $('input', dialog)?.select(); };
  // A list of links under a field: the arrows go through it.
  const walk = (list, by) => {
    const links = $$('a', list), at = links.indexOf(doc.activeElement);
    (links[at + by] || (at + by < 0 ? $('input', list) : links[0]))?.focus();
  };
  const copyFrom = async (button) => {
    const from = $(button.dataset.copy), label = $('span', button);
    from.select?.();
    // Without TLS there is no clipboard; the field stays selected.
    const copied = await navigator.clipboard?.writeText(from.value ?? from.textContent).then(() => true, () => false);
    label.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    say(label.textContent);
  };
  const showTheme = () => {
    for (const button of $$('[data-set-theme]'))
      button.setAttribute('aria-pressed', String(button.dataset.setTheme === (set.theme || '')));
  };

  // Keys: outside fields, never with a modifier, off on request (WCAG 2.1.4)
  const hints = () => {
    for (const item of $$('[data-hotkey]'))
      item.setAttribute('aria-keyshortcuts', set.keys === 'off' ? '' : item.dataset.hotkey);
  };
  const field = 'textarea, select, input:not([type=checkbox], [type=radio])';
  const row = () => rows()[here()] || null;
  // What is ticked goes first, then the menu that a key opened, then what is open.
  const find = (keys) => [$('.bulk'), $('.verdict details[open]'), $('#drawer'), row(), doc]
    .flatMap((from) => (from ? $$(`[data-hotkey="${CSS.escape(keys)}"]`, from) : [])).find((item) => item.checkVisibility());
  const press = (item) => {
    if (item.matches(`summary, [type=radio], ${field}`)) item.focus();
    if (!item.matches(field)) item.click();
  };
  const plain = {
    j: () => step(1),
    k: () => step(-1),
    o: () => $('a', row())?.click(),
    x: () => $('[data-select]', row())?.click(),
    X: () => pick(boxes().some((box) => !box.checked), boxes()),
    '?': () => $('#keys')?.showModal(),
  };
  let first = '';
  on('keydown', (event) => {
    const { key, target } = event, menu = $('details[data-menu][open]') || target.closest('.verdict details[open]'), found = target.closest('dialog.go');
    if (event.isComposing) return;
    if (key === 'k' && (event.ctrlKey || event.metaKey) && $('#go') && !$('dialog[open]')) { event.preventDefault(); open($('#go')); }
    if (found && (key === 'ArrowDown' || key === 'ArrowUp')) { event.preventDefault(); walk(found, key === 'ArrowDown' ? 1 : -1); }
    if (event.defaultPrevented || $('dialog[open], :popover-open')) return;
    if (key === 'Escape' && menu) { menu.open = false; $('summary', menu).focus(); }
    else if (key === 'Escape' && !target.matches(field)) closeDrawer() || pick(false, boxes().filter((box) => box.checked));
    // From the filters to what they found; what is typed stays.
    else if (target.matches('.filters *, .search *') && (key === 'Escape' || (key === 'ArrowDown' && target.type === 'search'))) {
      event.preventDefault();
      if (rows().length) goTo(key === 'Escape' ? last : 0); else $('#main').focus();
    }
    if (key === 'Enter' && (event.ctrlKey || event.metaKey)) { $('[data-save]', target.form)?.click(); return; }
    if (set.keys === 'off' || event.ctrlKey || event.metaKey || event.altKey || key.length > 1 || target.matches(field)) return;
    const item = (first && find(`${first} ${key}`)) || find(key);
    first = key;
    setTimeout(() => { first = ''; }, 1500);
    if (!item && !plain[key]) return;
    event.preventDefault();
    if (item) press(item); else plain[key]();
  });

  // Review begins with a proposal open, beside its list; where there is no room for both only when it is asked for.
  const openFirst = () => {
    const list = $('[data-opens]'), link = list && ($('tr.open a.fact') || $('tr[data-row] a.fact'));
    const url = list?.dataset.opens || (matchMedia('(min-width: 37.5rem)').matches && link?.getAttribute('hx-get'));
    if (!url) return;
    const wait = doc.createElement('p');
    wait.className = 'd-say wait';
    wait.textContent = 'Loading …';
    $('#drawer').replaceChildren(wait);
    markOpen(link);
    htmx.ajax('GET', url, { source: '#drawer', target: '#drawer' });
  };

  on('DOMContentLoaded', () => {
    count();
    openFirst();
    // What the address opens: its row is in sight, and the focus is where a click would have put it.
    last = Math.max(0, rows().findIndex((item) => item.matches('.open')));
    $('tr.open')?.scrollIntoView({ block: 'nearest' });
    if (doc.activeElement === doc.body) $('.drawer:not(.dock) > .d-head h2')?.focus({ preventScroll: true });
    showTheme();
    hints();
    const keys = $('[data-keys-on]');
    if (keys) keys.checked = set.keys !== 'off';
  });
})();
