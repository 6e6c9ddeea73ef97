import { expect, it, vi } from 'vitest';
import { goTo, holdPlace, isPlaceHeld } from './location.ts';

it('loads an address once, however often it is asked for', () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  goTo('/login');
  goTo('/login');
  expect(assign.mock.calls).toEqual([['/login']]);
  goTo('/');
  expect(assign).toHaveBeenLastCalledWith('/');
});

it('loads it again after the browser has shown the former page again', () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  goTo('/login');
  window.dispatchEvent(new Event('pageshow'));
  goTo('/login');
  expect(assign).toHaveBeenCalledTimes(2);
});

it('loads it again when the first load was cancelled', () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  goTo('/login');
  now.mockReturnValue(10_000);
  goTo('/login');
  expect(assign).toHaveBeenCalledTimes(2);
});

it('is not held any more after the browser has shown the former page again', () => {
  holdPlace(true);
  window.dispatchEvent(new Event('pageshow'));
  expect(isPlaceHeld()).toBe(false);
});
