import { type Anchor, EDGE_PX, type PageLayout } from './page-layout.ts';

/** The reading position, at which the marked passage is put: this share of the view, from its top. */
const EYE = 0.3;

interface ReadPlaceOptions {
  scroller: HTMLElement;
  /** Called with the page that is read, from 1. */
  onPage: (page: number) => void;
}

/** Keeps the reading position when pages or the view grow or shrink. */
export function createReadPlace({ scroller, onPage }: ReadPlaceOptions) {
  let layout: PageLayout | undefined;
  let anchor: Anchor | undefined;

  const eye = () => scroller.clientHeight * EYE;
  const keep = () => {
    if (!layout || !anchor) return;
    scroller.scrollTop = Math.max(0, layout.yOf(anchor) - eye());
    onPage(anchor.index + 1);
  };
  const note = () => {
    if (!layout) return;
    anchor = layout.anchorAt(scroller.scrollTop + eye());
    onPage(anchor.index + 1);
  };

  return {
    setLayout: (changed: PageLayout) => {
      layout = changed;
      keep();
    },

    /** Puts the beginning of a page at the top of the view, or a share (0–1) of its height at the reading position. */
    goTo: ({ page, share }: { page: number; share?: number | undefined }) => {
      if (!layout) return;
      const top = layout.topOf(page - 1);
      const y =
        share === undefined ? top - EDGE_PX + eye() : layout.yOf({ index: page - 1, share });
      anchor = layout.anchorAt(Math.max(y, eye()));
      keep();
    },

    /** Follows the user's scrolling and the size of the view. @returns a function that ends it */
    follow: () => {
      const resized = new ResizeObserver(keep);
      resized.observe(scroller);
      scroller.addEventListener('scroll', note, { passive: true });
      return () => {
        resized.disconnect();
        scroller.removeEventListener('scroll', note);
      };
    },
  };
}
