// Runs before the page's own code: a signed-in user who opens the chat waits for code and answers at the same time, not
// for one after the other. `lib/api.ts` takes the answers over; see 'Start' in docs/performance.md.
(() => {
  let token = null;
  try {
    token = localStorage.getItem('authToken');
  } catch {
    // No storage in this browser mode: nobody is signed in here yet.
  }
  if (!token || location.pathname !== '/') return;

  for (const href of (document.currentScript.dataset.chat ?? '').split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.href = href;
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    // As the build's own link asks for it: another mode would load it twice.
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
      // Whoever takes the answer over sees the failure.
      answer.catch(() => undefined);
      return [path, { token, answer }];
    }),
  );
})();
