import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followTheme, toggleTheme, useTheme } from './theme.ts';

const boot = readFileSync(join(import.meta.dirname, '../../public/start.js'), 'utf8');
const root = document.documentElement;

/** Runs the first script of a page load. */
function firstPaint(system: 'light' | 'dark' | 'none'): 'light' | 'dark' {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes(`: ${system}`) }));
  // oxlint-disable-next-line typescript/no-implied-eval -- runs our own file as the page does
  new Function(boot)();
  return root.classList.contains('dark') ? 'dark' : 'light';
}

beforeEach(() => {
  root.className = '';
});

describe('on page load', () => {
  it('the stored choice wins over the older key and the system', () => {
    localStorage.setItem('theme', 'light');
    localStorage.setItem('vite-ui-theme', 'dark');
    expect(firstPaint('dark')).toBe('light');
  });

  it('the older key is read once and migrated', () => {
    localStorage.setItem('vite-ui-theme', 'light');
    expect(firstPaint('dark')).toBe('light');
    expect(localStorage.getItem('theme')).toBe('light');
    expect(localStorage.getItem('vite-ui-theme')).toBeNull();
  });

  it('the older key "system" means the system, now and later', () => {
    localStorage.setItem('vite-ui-theme', 'system');
    expect(firstPaint('light')).toBe('light');
    expect(firstPaint('dark')).toBe('dark');
  });

  it.each([
    ['light', 'light'],
    ['dark', 'dark'],
    ['none', 'dark'],
  ] as const)('without a choice a system that prefers %s gets %s', (system, theme) => {
    expect(firstPaint(system)).toBe(theme);
  });

  it('a storage that throws is ignored', () => {
    vi.stubGlobal('localStorage', {
      getItem: () => {
        throw new Error('denied');
      },
    });
    expect(firstPaint('light')).toBe('light');
  });
});

describe('while the page is open', () => {
  let stop = () => {};
  afterEach(() => stop());

  it('toggling flips the root class, stores the choice and notifies subscribers', () => {
    const { result } = renderHook(useTheme);
    expect(result.current).toBe('light');
    act(toggleTheme);
    expect(result.current).toBe('dark');
    expect(root.classList.contains('dark')).toBe(true);
    expect(localStorage.getItem('theme')).toBe('dark');
    act(toggleTheme);
    expect(localStorage.getItem('theme')).toBe('light');
  });

  it('follows the choice made in another tab', () => {
    stop = followTheme();
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'dark' }));
    expect(root.classList.contains('dark')).toBe(true);
  });
});
