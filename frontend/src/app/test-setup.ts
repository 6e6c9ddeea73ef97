import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';

// A console error nobody asked for is a failed test. A test that provokes one replaces the spy.
let consoleError: MockInstance<typeof console.error>;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  const calls = consoleError.mock.calls.map((call) => call.map(String).join(' '));
  consoleError.mockRestore();
  if (calls.length > 0) throw new Error(`Unexpected console.error:\n${calls.join('\n')}`);
});
