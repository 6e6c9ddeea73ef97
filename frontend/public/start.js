// Runs before the page's own code: loads the code of the page in parallel, and for signed-in users requests the data of
// the chat. `lib/api.ts` uses the answers; see 'Start' in docs/performance.md.
(() => {
  let token = null;
  try {
    token = localStorage.getItem('authToken');
  } catch {
    // No storage in this browser mode: no user is signed in here.
  }
  const files = document.currentScript.dataset;
  const home = token ? files.chat : files.landing;
  const page = { '/': home, '/login': files.login }[location.pathname];
  for (const href of (page ?? '').split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.href = href;
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    // The same mode as in the build's own link: another mode would load the file twice.
    if (href.endsWith('.css')) Object.assign(link, { as: 'style', crossOrigin: '' });
    document.head.append(link);
  }
  if (!token || location.pathname !== '/') return;

  const conversationId = new URLSearchParams(location.search).get('c');
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
