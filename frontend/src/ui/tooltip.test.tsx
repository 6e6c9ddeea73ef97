import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IconButton } from './icon-button.tsx';
import { TooltipProvider } from './tooltip.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  vi.useRealTimers();
});

function openButtons() {
  const onClick = vi.fn<() => void>();
  const { unmount } = render(
    <TooltipProvider>
      <IconButton label="Copy" shortcut="C" onClick={onClick}>
        <svg />
      </IconButton>
      <IconButton label="Edit">
        <svg />
      </IconButton>
    </TooltipProvider>,
  );
  const button = (name: string) => screen.getByRole('button', { name });
  return { copy: button('Copy'), edit: button('Edit'), onClick, unmount };
}
const hover = (element: Element, pointerType = 'mouse') =>
  fireEvent.pointerMove(element, { pointerType });
/** Leaves the element and the area between it and its tooltip. */
const leave = (element: Element) => {
  fireEvent.pointerLeave(element);
  fireEvent.pointerMove(document.body, { clientX: 900, clientY: 900 });
};
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = () => screen.queryByRole('tooltip')?.textContent ?? null;

it('opens 700 ms after the pointer came, and describes its element', async () => {
  const { copy } = openButtons();
  hover(copy);
  await wait(699);
  expect(shown()).toBeNull();
  await wait(1);
  expect(shown()).toBe('CopyC');
  expect(copy.getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id);
});

it('opens at once for 300 ms after another tooltip was open', async () => {
  const { copy, edit } = openButtons();
  hover(copy);
  await wait(700);
  leave(copy);
  expect(shown()).toBeNull();
  hover(edit);
  expect(shown()).toBe('Edit');
  leave(edit);
  await wait(299);
  hover(copy);
  expect(shown()).toBe('CopyC');
  leave(copy);
  await wait(300);
  hover(edit);
  expect(shown()).toBeNull();
});

it('opens with the focus, but not where nothing can hover', () => {
  const { copy, edit } = openButtons();
  fireEvent.focus(copy);
  expect(shown()).toBe('CopyC');
  fireEvent.blur(copy);
  const onTouch = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) => ({ matches: query === '(hover: none)' }) as MediaQueryList);
  fireEvent.focus(edit);
  expect(shown()).toBeNull();
  onTouch.mockRestore();
});

it('stays while the pointer is on it', async () => {
  const { copy } = openButtons();
  hover(copy);
  await wait(700);
  fireEvent.pointerLeave(copy);
  fireEvent.pointerEnter(screen.getByRole('tooltip'));
  await wait(1_000);
  expect(shown()).toBe('CopyC');
  leave(screen.getByRole('tooltip'));
  expect(shown()).toBeNull();
});

it('opens at once for the keyboard, and closes by Escape and on leaving', () => {
  const { copy, edit } = openButtons();
  act(() => copy.focus());
  expect(shown()).toBe('CopyC');
  const escape = fireEvent.keyDown(copy, { key: 'Escape' });
  expect([escape, shown()]).toEqual([false, null]);
  act(() => edit.focus());
  expect(shown()).toBe('Edit');
  act(() => edit.blur());
  expect(shown()).toBeNull();
});

it('is closed by a press and stays closed until the pointer comes back', async () => {
  const { copy, onClick } = openButtons();
  hover(copy);
  await wait(700);
  fireEvent.pointerDown(copy);
  act(() => copy.focus());
  fireEvent.pointerUp(copy);
  fireEvent.click(copy);
  hover(copy);
  await wait(1_000);
  expect([shown(), onClick.mock.calls.length]).toEqual([null, 1]);
});

it('does not open by touch, and goes with its element', async () => {
  const { copy, unmount } = openButtons();
  hover(copy, 'touch');
  await wait(1_000);
  expect(shown()).toBeNull();
  hover(copy);
  await wait(700);
  expect(shown()).toBe('CopyC');
  unmount();
  expect(shown()).toBeNull();
});
