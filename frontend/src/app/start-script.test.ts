import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';

const SCRIPT = readFileSync('public/start.js', 'utf8');

const listeners: Parameters<typeof window.addEventListener>[] = [];

/** Runs the script as the page at `path` does. @returns the paths that it requests and the files that it preloads */
function start(path: string, files: Record<string, string> = {}) {
  const fetched = vi.fn<typeof fetch>(async () => new Response('{}'));
  vi.stubGlobal('fetch', fetched);
  window.history.replaceState(null, '', path);
  const script = document.createElement('script');
  Object.assign(script.dataset, files);
  vi.spyOn(document, 'currentScript', 'get').mockReturnValue(script);
  const listen = vi.spyOn(window, 'addEventListener');
  // oxlint-disable-next-line typescript/no-implied-eval -- the script is no module
  new Function(SCRIPT)();
  listeners.push(...listen.mock.calls);
  return {
    paths: fetched.mock.calls.map(([url]) => url),
    options: fetched.mock.calls[0]?.[1],
    links: [...document.head.querySelectorAll('link')].map((link) => [
      link.rel,
      link.getAttribute('href'),
    ]),
  };
}

afterEach(() => {
  for (const [type, listener, options] of listeners.splice(0))
    window.removeEventListener(type, listener, options);
  delete window.earlyAnswers;
  document.head.replaceChildren();
  document.documentElement.removeAttribute('lang');
  window.history.replaceState(null, '', '/');
});

const CONVERSATION = '0123456789abcdef01234567';

it.each([
  ['/', '/assets/landing.js'],
  ['/login', '/assets/login.js'],
])('at %s preloads %s for signed-out users, and requests nothing', (path, file) => {
  const files = {
    chat: '/assets/chat.js',
    landing: '/assets/landing.js',
    login: '/assets/login.js',
  };
  expect(start(path, files)).toMatchObject({ paths: [], links: [['modulepreload', file]] });
  expect(window.earlyAnswers).toBeUndefined();
});

it('reloads the page once when its code cannot be loaded, and then says so', async () => {
  vi.useFakeTimers();
  const reload = vi.fn<() => void>();
  vi.stubGlobal('location', { reload, pathname: '/', search: '' });
  document.body.innerHTML = '<div id="root"></div>';
  start('/');
  const fail = (tag: string, type: string) => {
    const element = Object.assign(document.createElement(tag), { type });
    document.body.append(element);
    element.dispatchEvent(new Event('error'));
    vi.advanceTimersByTime(1_000);
  };
  fail('script', 'text/javascript');
  fail('img', 'module');
  expect(reload).not.toHaveBeenCalled();
  fail('script', 'module');
  expect(reload).toHaveBeenCalledOnce();
  expect(document.getElementById('root')?.textContent).toBe('');
  fail('script', 'module');
  expect(reload).toHaveBeenCalledOnce();
  expect(document.getElementById('root')?.textContent).toBe(
    'STOLAS could not be loaded. Check your connection and reload the page.',
  );
  vi.useRealTimers();
  document.body.replaceChildren();
});

it('does nothing on other pages', () => {
  localStorage.setItem('authToken', 'secret');
  expect(start('/settings', { chat: '/assets/chat.js' })).toMatchObject({ paths: [], links: [] });
});

it('requests user and conversations with the token, and preloads the chat', () => {
  localStorage.setItem('authToken', 'secret');
  const { paths, options, links } = start('/', { chat: '/assets/chat.js /assets/chat.css' });
  expect(paths).toEqual(['/api/auth/user', '/api/conversations']);
  expect(options?.headers).toEqual({ authorization: 'Bearer secret' });
  expect(links).toEqual([
    ['modulepreload', '/assets/chat.js'],
    ['preload', '/assets/chat.css'],
  ]);
  expect([...(window.earlyAnswers ?? [])].map(([path, { token }]) => [path, token])).toEqual([
    ['/api/auth/user', 'secret'],
    ['/api/conversations', 'secret'],
  ]);
});

it('preloads the code of replies when the address names a conversation', () => {
  localStorage.setItem('authToken', 'secret');
  const files = {
    chat: '/assets/chat.js',
    replies: '/assets/replies.js',
    login: '/assets/log.js',
  };
  const preloaded = (path: string) => start(path, files).links.map(([, href]) => href);
  expect(preloaded(`/?c=${CONVERSATION}`)).toEqual(['/assets/chat.js', '/assets/replies.js']);
  document.head.replaceChildren();
  expect(preloaded('/')).toEqual(['/assets/chat.js']);
  document.head.replaceChildren();
  expect(preloaded(`/settings?c=${CONVERSATION}`)).toEqual([]);
});

it('requests the messages of the conversation that the address names, as the chat does', () => {
  localStorage.setItem('authToken', 'secret');
  expect(start(`/?c=${CONVERSATION}`).paths).toContain(
    `/api/conversations/${CONVERSATION}/messages?limit=50`,
  );
});

it.each(['x', `${CONVERSATION}/../..`, ''])('requests no messages for ?c=%s', (id) => {
  localStorage.setItem('authToken', 'secret');
  expect(start(`/?c=${encodeURIComponent(id)}`).paths).toEqual([
    '/api/auth/user',
    '/api/conversations',
  ]);
});

it('leaves a failed request to the code that uses its answer', async () => {
  localStorage.setItem('authToken', 'secret');
  start('/');
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  // oxlint-disable-next-line typescript/no-implied-eval -- as above
  new Function(SCRIPT)();
  await expect(window.earlyAnswers?.get('/api/auth/user')?.answer).rejects.toThrow('no network');
});

describe('the language', () => {
  const languages = 'de=/assets/de.js fr=/assets/fr.js';
  const browserHas = (...tags: string[]) =>
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(tags);
  const chosen = () => document.documentElement.lang;

  it('is the stored choice, whatever the browser has', () => {
    localStorage.setItem('language', 'de');
    browserHas('fr-CA', 'en');
    expect(start('/settings', { languages }).links).toEqual([['modulepreload', '/assets/de.js']]);
    expect(chosen()).toBe('de');
  });

  it.each([
    [['fr-CA', 'de'], 'fr'],
    [['en-GB', 'de'], 'en'],
    [['it', 'x-pirate', 'de-AT', 'fr'], 'de'],
    [['it', 'pt-BR'], 'en'],
    [[], 'en'],
  ])('of a browser with %j is %s: the first that has a translation', (tags, language) => {
    browserHas(...tags);
    start('/settings', { languages });
    expect(chosen()).toBe(language);
  });

  it.each(['it', '', 'constructor'])(
    'a stored choice of %j without a translation is skipped',
    (tag) => {
      localStorage.setItem('language', tag);
      browserHas('de');
      start('/settings', { languages });
      expect(chosen()).toBe('de');
    },
  );

  it('its texts are preloaded beside the page, and nothing for English', () => {
    browserHas('de');
    const files = { languages, landing: '/assets/landing.js' };
    expect(start('/', files).links).toEqual([
      ['modulepreload', '/assets/landing.js'],
      ['modulepreload', '/assets/de.js'],
    ]);
    document.head.replaceChildren();
    browserHas('en');
    expect(start('/', files).links).toEqual([['modulepreload', '/assets/landing.js']]);
  });

  it('is chosen without files, too, as the development server has none', () => {
    browserHas('de');
    expect(start('/', { languages: 'de' }).links).toEqual([]);
    expect(chosen()).toBe('de');
  });

  it('follows the browser where storage is refused', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: refuse });
    browserHas('de');
    start('/', { languages });
    expect(chosen()).toBe('de');
  });
});
