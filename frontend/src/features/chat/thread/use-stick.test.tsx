import { act, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useStick } from './use-stick.ts';

// The test environment has no layout, so the box's measures are played here.
const box = { height: 1_000, view: 400, top: 0 };
let resized: () => void;

function Probe() {
  const { scroller, content, atEnd, toEnd } = useStick();
  return (
    <div ref={scroller} data-testid="box">
      <div ref={content} />
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
  scrollTop: {
    configurable: true,
    get: () => clamp(box.top),
    set: (top: number) => {
      box.top = clamp(top);
    },
  },
});

const scrolled = () => act(() => void screen.getByTestId('box').dispatchEvent(new Event('scroll')));
const grow = (by: number) => {
  box.height += by;
};
const laidOut = () => act(() => resized());
const isAtEnd = () => box.top === box.height - box.view;

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
    laidOut();
    expect(isAtEnd()).toBe(true);
  });

  it('follows although the text grew before the last scroll was reported', () => {
    grow(300);
    scrolled();
    laidOut();
    expect(isAtEnd()).toBe(true);
    expect(screen.queryByText('Jump')).toBeNull();
  });

  it('lets go as soon as the reader goes up, and stays there', () => {
    box.top -= 60;
    scrolled();
    const stood = box.top;
    grow(300);
    laidOut();
    expect(box.top).toBe(stood);
    expect(screen.getByText('Jump')).toBeTruthy();
  });

  it('offers the way back also to a reader who went up only a little', () => {
    box.top -= 10;
    scrolled();
    grow(300);
    laidOut();
    expect(screen.getByText('Jump')).toBeTruthy();
  });

  it('takes hold again when the reader is back at the end', () => {
    box.top -= 200;
    scrolled();
    box.top += 200;
    scrolled();
    grow(300);
    laidOut();
    expect(isAtEnd()).toBe(true);
  });

  it('is not mistaken for the reader when the content shrinks', () => {
    grow(-100);
    box.top = box.height - box.view;
    scrolled();
    grow(300);
    laidOut();
    expect(isAtEnd()).toBe(true);
  });

  it('jumps to the latest on request', () => {
    box.top -= 200;
    scrolled();
    act(() => screen.getByText('Jump').click());
    expect(isAtEnd()).toBe(true);
    expect(screen.queryByText('Jump')).toBeNull();
  });
});
