// Runs before the first paint, so that no theme flashes. A file of its own, because the content security policy allows
// no inline script. Stored preference, else the older key (read once and migrated; `system` means no stored
// preference), else the operating system's, else dark.
(() => {
  // Dialogs and menus add a <style> element with this nonce, which the content security policy requires.
  window.__webpack_nonce__ = document.currentScript?.nonce;
  const known = (value) => (value === 'light' || value === 'dark' ? value : null);
  let theme = null;
  try {
    theme = known(localStorage.getItem('theme'));
    if (!theme) {
      theme = known(localStorage.getItem('vite-ui-theme'));
      if (theme) localStorage.setItem('theme', theme);
    }
    localStorage.removeItem('vite-ui-theme');
  } catch {
    // No storage in this browser mode: the system's preference decides.
  }
  theme ??= matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  document.documentElement.classList.toggle('dark', theme === 'dark');
  // The colour of the browser's own bars.
  const bar = document.querySelector('meta[name=theme-color]');
  if (bar) bar.content = bar.dataset[theme];
})();
