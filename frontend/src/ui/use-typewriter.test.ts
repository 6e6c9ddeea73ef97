import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useTypewriter } from './use-typewriter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('a typewriter text effect reveals one character at a time, 30 ms per character', async () => {
  const { result } = renderHook(() => useTypewriter({ length: 4 }));
  expect(result.current).toBe(0);
  await pass(29);
  expect(result.current).toBe(0);
  await pass(1);
  expect(result.current).toBe(1);
  await pass(60);
  expect(result.current).toBe(3);
});

it('a typewriter text effect calls a completion callback, once', async () => {
  const onComplete = vi.fn<() => void>();
  renderHook(() => useTypewriter({ length: 3, onComplete }));
  await pass(89);
  expect(onComplete).not.toHaveBeenCalled();
  await pass(1);
  expect(onComplete).toHaveBeenCalledOnce();
  await pass(1_000);
  expect(onComplete).toHaveBeenCalledOnce();
});

it('holds while it does not play, and goes on from there', async () => {
  const { result, rerender } = renderHook(({ playing }) => useTypewriter({ length: 9, playing }), {
    initialProps: { playing: true },
  });
  await pass(90);
  rerender({ playing: false });
  await pass(1_000);
  expect(result.current).toBe(3);
  rerender({ playing: true });
  await pass(30);
  expect(result.current).toBe(4);
});

it('reveals several characters in a step when the pace is faster than a screen shows', async () => {
  const { result } = renderHook(() => useTypewriter({ length: 100, msPerCharacter: 5 }));
  await pass(20);
  expect(result.current).toBe(4);
});
