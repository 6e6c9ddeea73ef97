import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFollow } from './use-follow.ts';

// The test environment has no layout, so the sizes are simulated here.
const box = { height: 1_000, view: 400, top: 0 };
let resized: () => void;

function Probe() {
  const { scrollerRef, contentRef, atEnd, toEnd } = useFollow();
  return (
    <div ref={scrollerRef} data-testid="box">
      <div ref={contentRef}>
        <button type="button">Copy</button>
        <textarea />
      </div>
      {!atEnd && (
        <button type="button" onClick={toEnd}>
          Jump
        </button>
      )}
    </div>
  );
}

const clamp = (top: number) => Math.max(0, Math.min(top, box.height - box.view));
Object.defineProperties(HTMLElement.prototype, {
  scrollHeight: { configurable: true, get: () => box.height },
  clientHeight: { configurable: true, get: () => box.view },
  clientWidth: { configurable: true, get: () => 700 },
  scrollTop: {
    configurable: true,
    get: () => clamp(box.top),
    set: (top: number) => {
      box.top = clamp(top);
    },
  },
});

const scroller = () => screen.getByTestId('box');
const scrolled = () => act(() => void scroller().dispatchEvent(new Event('scroll')));
const laidOut = () => act(() => resized());
const isAtEnd = () => box.top === box.height - box.view;

function grow(by: number) {
  box.height += by;
  laidOut();
}

function scrollBy(by: number) {
  box.top += by;
  scrolled();
}

function wheel(by: number) {
  fireEvent.wheel(scroller(), { deltaY: by });
  scrollBy(by);
}

describe('the view of a growing reply', () => {
  beforeEach(() => {
    Object.assign(box, { height: 1_000, view: 400, top: 0 });
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(callback: () => void) {
          resized = callback;
        }
        observe() {}
        disconnect() {}
      },
    );
    render(<Probe />);
  });

  it('opens at the end and follows it', () => {
    expect(isAtEnd()).toBe(true);
    grow(300);
    expect(isAtEnd()).toBe(true);
  });

  it('lets go when the focus moves above the last screen, and not within it', () => {
    const copy = screen.getByText('Copy');
    fireEvent.focusIn(copy);
    grow(300);
    expect(isAtEnd()).toBe(true);
    vi.spyOn(copy, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, -1, 10, 10));
    fireEvent.focusIn(copy);
    grow(300);
    expect(isAtEnd()).toBe(false);
  });

  it('lets go when an editor opens, so that it stays in view while it grows', () => {
    fireEvent.focusIn(screen.getByRole('textbox'));
    grow(300);
    expect(isAtEnd()).toBe(false);
  });

  it('follows although replaced content moved the scroll position up', () => {
    box.height -= 500;
    scrollBy(-500);
    box.height += 500;
    laidOut();
    expect(isAtEnd()).toBe(true);
    scrollBy(-200);
    grow(300);
    expect(isAtEnd()).toBe(true);
    expect(screen.queryByText('Jump')).toBeNull();
  });

  it.each([
    ['the wheel', () => wheel(-60)],
    [
      'a finger',
      () => {
        fireEvent.touchStart(scroller(), { touches: [{ clientY: 100 }] });
        fireEvent.touchMove(scroller(), { touches: [{ clientY: 160 }] });
        scrollBy(-60);
      },
    ],
    [
      'a key',
      () => {
        fireEvent.keyDown(scroller(), { key: 'PageUp' });
        scrollBy(-60);
      },
    ],
  ])('lets go when the reader goes up with %s, and stays there', (_name, goUp) => {
    goUp();
    const stood = box.top;
    grow(300);
    expect(box.top).toBe(stood);
    expect(screen.getByText('Jump')).toBeTruthy();
  });

  it('offers Jump to latest even after scrolling up a little', () => {
    wheel(-10);
    grow(300);
    expect(screen.getByText('Jump')).toBeTruthy();
  });

  it('keeps following when the user scrolls down', () => {
    wheel(60);
    grow(300);
    expect(isAtEnd()).toBe(true);
  });

  it('follows again when the user is back at the end', () => {
    wheel(-200);
    wheel(200);
    grow(300);
    expect(isAtEnd()).toBe(true);
  });

  it('jumps to the latest on request', () => {
    wheel(-200);
    act(() => screen.getByText('Jump').click());
    expect(isAtEnd()).toBe(true);
    expect(screen.queryByText('Jump')).toBeNull();
  });
});
