import type { KeyboardEvent, PointerEvent } from 'react';
import { cn } from './cn.ts';

const STEP_PX = 16;

interface EdgeResizerProps {
  /** The name for screen readers. */
  label: string;
  /** The edge of the panel that it stands on. */
  edge: 'left' | 'right';
  /** Pixels; `onResize` gets any number and keeps the bounds. */
  width: number;
  min: number;
  max: number;
  initial: number;
  onResize: (width: number) => void;
}

/** The edge of a panel: dragged, or moved with the arrow keys; a double click restores the initial width. */
export function EdgeResizer({ label, edge, width, min, max, initial, onResize }: EdgeResizerProps) {
  /** Whether the panel grows or shrinks when the edge moves to the right. */
  const direction = edge === 'right' ? 1 : -1;

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const target = event.currentTarget;
    const grip = event.clientX - direction * width;
    target.setPointerCapture(event.pointerId);
    const onMove = (move: globalThis.PointerEvent) => onResize(direction * (move.clientX - grip));
    target.addEventListener('pointermove', onMove);
    target.addEventListener(
      'lostpointercapture',
      () => target.removeEventListener('pointermove', onMove),
      { once: true },
    );
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: width - direction * STEP_PX,
      ArrowRight: width + direction * STEP_PX,
      Home: edge === 'right' ? min : max,
      End: edge === 'right' ? max : min,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    // The panel may handle these keys, too.
    event.stopPropagation();
    onResize(next);
  };

  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a separator that moves is a control, a rule is not
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(initial)}
      className={cn(
        'absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none transition-colors duration-150 ease-out select-none hover:bg-line active:bg-control focus-visible:bg-cool focus-visible:outline-none',
        edge === 'right' ? '-right-1' : '-left-1',
      )}
    />
  );
}
