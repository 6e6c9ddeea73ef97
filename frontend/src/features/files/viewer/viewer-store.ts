import { createPanelWidth } from '../../../lib/panel-width.ts';

// docs/product.md, 'Files'.
export const VIEWER_WIDTHS = { min: 360, max: 900, initial: 560 };
/** The width that the page beside the viewer keeps, in pixels. */
const MIN_PAGE = 360;

const [useViewerWidth, setWidth] = createPanelWidth('viewer-width', VIEWER_WIDTHS);

export { useViewerWidth };

export const setViewerWidth = (width: number): void =>
  setWidth(Math.min(width, window.innerWidth - MIN_PAGE));

/** Steps of the zoom; 1 is as wide as the viewer. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;

/** The next step up or down; the same at the ends. */
export const zoomed = (zoom: number, direction: 1 | -1): number =>
  (direction === 1 ? ZOOMS.find((step) => step > zoom) : ZOOMS.findLast((step) => step < zoom)) ??
  zoom;
