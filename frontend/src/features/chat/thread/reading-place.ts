/** The reading position: this share of the view, from its top. */
const EYE = 0.3;
/** The position is recorded when the thread has not scrolled for this long. */
const IDLE_MS = 100;
/** Paragraphs of this height locate the reader precisely enough. */
const SMALL_PX = 120;
/** Remeasured rows move the view once more in the following frames. */
const FRAMES = 3;

/** Keeps the reading position when the thread becomes narrower or wider, such as for a panel beside it. */
export interface ReadingPlace {
  /** Call it when the thread was scrolled. */
  onScroll: () => void;
  /** Call it when the width has changed. */
  keep: () => void;
  stop: () => void;
}

export function createReadingPlace(box: HTMLElement): ReadingPlace {
  let noted: { element: Element; top: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame: number | undefined;

  const note = () => {
    const element = elementAtEye(box);
    noted = element && { element, top: element.getBoundingClientRect().top };
  };
  const putBack = () => {
    if (!noted?.element.isConnected) return;
    const moved = noted.element.getBoundingClientRect().top - noted.top;
    if (Math.abs(moved) >= 1) box.scrollTop += moved;
  };
  const keepFor = (frames: number) => {
    putBack();
    frame = frames > 0 ? requestAnimationFrame(() => keepFor(frames - 1)) : undefined;
  };
  const cancel = () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
  };

  return {
    onScroll: () => {
      // The view is moved by `keep` itself.
      if (frame !== undefined) return;
      clearTimeout(timer);
      timer = setTimeout(note, IDLE_MS);
    },
    keep: () => {
      cancel();
      keepFor(FRAMES);
    },
    stop: cancel,
  };
}

/** The smallest element of the thread at the reading position. */
function elementAtEye(box: HTMLElement): Element | undefined {
  const { top, height } = box.getBoundingClientRect();
  const eye = top + height * EYE;
  const reaches = (element: Element) => element.getBoundingClientRect().bottom > eye;
  let found = [...box.querySelectorAll('[data-index]')].find(reaches);
  while (found && found.getBoundingClientRect().height > SMALL_PX) {
    const inner = [...found.children].find(reaches);
    if (!inner) break;
    found = inner;
  }
  return found;
}
