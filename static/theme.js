/* Loaded in <head> before the first paint, so that a stored theme never flashes. Says too that scripts run. */
(() => {
  const root = document.documentElement;
  root.dataset.js = '';
  try {
    for (const name of ['theme', 'density', 'keys']) {
      // What the account says counts, and is kept for the pages before the login.
      if ('account' in root.dataset) localStorage.setItem(name, root.dataset[name] || '');
      else if (localStorage.getItem(name)) root.dataset[name] = localStorage.getItem(name);
    }
  } catch {
    // Storage may be forbidden by the browser. The system's theme is then the right one.
    root.dataset.storage = 'off';
  }
})();
