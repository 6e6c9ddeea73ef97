import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { searchParam, setSearchParams, useSearchParam } from './search-params.ts';

beforeEach(() => history.replaceState(null, '', '/?c=1'));

it('sets some parameters, removes others and keeps the rest', () => {
  setSearchParams({ file: 'a b', page: '2' });
  expect(location.search).toBe('?c=1&file=a+b&page=2');
  setSearchParams({ file: null, page: '3' });
  expect(location.search).toBe('?c=1&page=3');
  expect(searchParam('page')).toBe('3');
  expect(searchParam('file')).toBeNull();
  setSearchParams({ c: null, page: null });
  expect(location.href).toMatch(/\/$/);
});

it('makes an entry of the history, or replaces the present one', () => {
  const before = history.length;
  setSearchParams({ page: '2' }, { replace: true });
  expect(history.length).toBe(before);
  setSearchParams({ page: '3' });
  expect(history.length).toBe(before + 1);
});

it('follows the URL, and reads a value of another shape as none', () => {
  const { result } = renderHook(() => useSearchParam('page', /^\d+$/));
  expect(result.current).toBeNull();
  act(() => setSearchParams({ page: '2' }));
  expect(result.current).toBe('2');
  act(() => setSearchParams({ page: 'two' }));
  expect(result.current).toBeNull();
});
