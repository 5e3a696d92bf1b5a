/* Loaded in <head> before the first paint, so that a stored theme never flashes. Says too that scripts run. */
(() => {
  const root = document.documentElement;
  root.dataset.js = '';
  try {
    for (const name of ['theme', 'density', 'keys']) {
      const value = localStorage.getItem(name);
      if (value) root.dataset[name] = value;
    }
  } catch {
    // Storage may be forbidden by the browser. The system's theme is then the right one.
    root.dataset.storage = 'off';
  }
})();
