// Runs before the page's own code: loads the code of the chat and requests its data in parallel for signed-in users.
// `lib/api.ts` uses the answers; see 'Start' in docs/performance.md.
(() => {
  let token = null;
  try {
    token = localStorage.getItem('authToken');
  } catch {
    // No storage in this browser mode: no user is signed in here.
  }
  if (!token || location.pathname !== '/') return;

  for (const href of (document.currentScript.dataset.chat ?? '').split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.href = href;
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    // The same mode as in the build's own link: another mode would load the file twice.
    if (href.endsWith('.css')) Object.assign(link, { as: 'style', crossOrigin: '' });
    document.head.append(link);
  }

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
