import type { KeyboardEvent, PointerEvent } from 'react';
import {
  DEFAULT_WIDTH,
  MAX_WIDTH,
  MIN_WIDTH,
  setViewerWidth,
  useViewerWidth,
} from './viewer-store.ts';

const STEP_PX = 16;

/** The viewer's edge: dragged, or moved with the arrow keys; a double click restores the default. */
export function ViewerResizer() {
  const width = useViewerWidth((state) => state.width);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const edge = event.currentTarget;
    const grip = event.clientX + width;
    edge.setPointerCapture(event.pointerId);
    const onMove = (move: globalThis.PointerEvent) => setViewerWidth(grip - move.clientX);
    edge.addEventListener('pointermove', onMove);
    edge.addEventListener(
      'lostpointercapture',
      () => edge.removeEventListener('pointermove', onMove),
      { once: true },
    );
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = {
      ArrowLeft: width + STEP_PX,
      ArrowRight: width - STEP_PX,
      Home: MAX_WIDTH,
      End: MIN_WIDTH,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setViewerWidth(target);
  };

  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a separator that moves is a control, a rule is not
      role="separator"
      aria-label="Viewer width"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => setViewerWidth(DEFAULT_WIDTH)}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none transition-colors duration-150 ease-out select-none hover:bg-line active:bg-control focus-visible:bg-cool focus-visible:outline-none"
    />
  );
}
