// Runs before the first paint and before the page's own code. A file of its own, because the content security policy allows
// no inline script.

// The theme, so that none flashes: stored preference, else the older key (read once and migrated; `system` means no stored
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

// The page's own code may not arrive, such as over a connection that breaks. The page is loaded once more, and then says so.
(() => {
  const RELOAD_AFTER_MS = 1_000;
  const NOT_AGAIN_WITHIN_MS = 60_000;
  const KEY = 'reloadedAt';
  const mayReload = () => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(KEY)) < NOT_AGAIN_WITHIN_MS) return false;
      sessionStorage.setItem(KEY, String(Date.now()));
      return true;
    } catch {
      // No storage in this browser mode: the page would be reloaded for ever.
      return false;
    }
  };
  const explain = () => {
    document.getElementById('root').textContent =
      document.documentElement.lang === 'de'
        ? 'STOLAS konnte nicht geladen werden. Prüfe deine Verbindung und lade die Seite neu.'
        : 'STOLAS could not be loaded. Check your connection and reload the page.';
  };
  const onError = ({ target }) => {
    if (!(target instanceof HTMLScriptElement) || target.type !== 'module') return;
    if (mayReload()) {
      setTimeout(() => location.reload(), RELOAD_AFTER_MS);
      return;
    }
    // The code is requested before the page has been read to its end.
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', explain);
    else explain();
  };
  // The error of a script does not bubble.
  addEventListener('error', onError, true);
})();

// Chooses the language, loads the code of the page in parallel, and for signed-in users requests the data of the chat.
// `lib/api.ts` uses the answers; see 'Start' in docs/performance.md.
(() => {
  let token = null;
  let chosen = null;
  try {
    token = localStorage.getItem('authToken');
    chosen = localStorage.getItem('language');
  } catch {
    // No storage in this browser mode: no user is signed in here.
  }
  const files = document.currentScript?.dataset ?? {};
  // 'de=/assets/de.js fr=/assets/fr.js'
  const texts = new Map((files.languages ?? '').split(' ').map((entry) => entry.split('=')));
  const language =
    [chosen ?? '', ...navigator.languages]
      .map((tag) => tag.split('-')[0])
      .find((tag) => tag === 'en' || (tag && texts.has(tag))) ?? 'en';
  document.documentElement.lang = language;
  const home = token ? files.chat : files.landing;
  const page = { '/': home, '/login': files.login }[location.pathname];
  const conversationId = new URLSearchParams(location.search).get('c');
  const replies = page && token && conversationId ? files.replies : '';
  const hrefs = `${page ?? ''} ${replies ?? ''}`.split(' ');
  for (const href of [...hrefs, texts.get(language)].filter(Boolean)) {
    const link = document.createElement('link');
    link.href = href;
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    // The same mode as in the build's own link: another mode would load the file twice.
    if (href.endsWith('.css')) Object.assign(link, { as: 'style', crossOrigin: '' });
    document.head.append(link);
  }
  if (!token || location.pathname !== '/') return;

  const paths = ['/api/auth/user', '/api/conversations'];
  if (/^[0-9a-f]{24}$/i.test(conversationId ?? '')) {
    paths.push(`/api/conversations/${conversationId}/messages?limit=50`);
  }
  window.earlyAnswers = new Map(
    paths.map((path) => {
      const options = { credentials: 'include', headers: { authorization: `Bearer ${token}` } };
      const answer = fetch(path, options);
      // The code that uses the answer handles the failure.
      answer.catch(() => undefined);
      return [path, { token, answer }];
    }),
  );
})();
