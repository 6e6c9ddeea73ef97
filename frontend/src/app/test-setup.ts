import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import { queryClient } from '../lib/query-client.ts';
import { resetStores } from '../lib/zustand.fixture.ts';
import { network, silentSocket } from '../realtime/socket-io.fixture.ts';

// Only bounds what would never come: one second is too little on a busy machine.
configure({ asyncUtilTimeout: 120_000 });

// happy-dom has no layout; the list of messages mounts the rows that fit into its height.
Object.defineProperties(HTMLElement.prototype, {
  offsetHeight: { configurable: true, get: () => 600 },
  offsetWidth: { configurable: true, get: () => 800 },
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 800 },
});

// Some libraries leave timers running: Uppy looks at `window` 3 s after it was created, even if it was closed before. A
// timer that fires after its test file has ended finds no `window`, which fails the run.
const timers = new Set<ReturnType<typeof setTimeout>>();
globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply: (start, self, args) => {
    const timer = Reflect.apply(start, self, args);
    timers.add(timer);
    return timer;
  },
});
afterAll(() => timers.forEach(clearTimeout));

// An unexpected console error fails the test. A test that provokes one replaces the spy.
let consoleError: MockInstance<typeof console.error>;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  queryClient.clear();
  window.history.replaceState(null, '', '/');
  network.io = silentSocket;
  delete window.earlyAnswers;
  // Each test begins on a page that is not being left.
  window.dispatchEvent(new Event('pageshow'));
  consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  resetStores();
  const calls = consoleError.mock.calls.map((call) => call.map(String).join(' '));
  consoleError.mockRestore();
  if (calls.length > 0) throw new Error(`Unexpected console.error:\n${calls.join('\n')}`);
});
