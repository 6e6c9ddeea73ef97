import { create } from 'zustand';
import { readItem, writeItem } from '../../../lib/storage.ts';

// Pixels (docs/product.md, 'Files').
export const MIN_WIDTH = 360;
export const MAX_WIDTH = 900;
export const DEFAULT_WIDTH = 560;
/** The width that the page beside the viewer keeps. */
const MIN_PAGE = 360;

const WIDTH_KEY = 'viewer-width';

const clamp = (width: number): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

export const useViewerWidth = create<{ width: number }>(() => ({
  width: clamp(Number(readItem(WIDTH_KEY)) || DEFAULT_WIDTH),
}));

export function setViewerWidth(width: number): void {
  const clamped = clamp(Math.min(width, window.innerWidth - MIN_PAGE));
  useViewerWidth.setState({ width: clamped });
  writeItem(WIDTH_KEY, String(clamped));
}

/** Steps of the zoom; 1 is as wide as the viewer. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;

/** The next step up or down; the same at the ends. */
export const zoomed = (zoom: number, direction: 1 | -1): number =>
  (direction === 1 ? ZOOMS.find((step) => step > zoom) : ZOOMS.findLast((step) => step < zoom)) ??
  zoom;
