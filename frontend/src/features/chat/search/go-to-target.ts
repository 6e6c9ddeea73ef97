import { messageOf, type ThreadTarget } from '../../../lib/thread-target.ts';

/** The mark of a place in a message, `data-shown`, lasts this long. */
const MARK_MS = 2_400;
/** A place that has not moved for this long stands still. */
const STILL_FRAMES = 6;
/** The place is awaited for this long after its message has appeared. */
const MAX_FRAMES = 60;

interface GoOptions {
  /** Whether the list need not be scrolled to the message first. */
  isMounted: boolean;
  signal: AbortSignal;
}

/** Moves the focus to a message as soon as it has its row, or the view to a place in it. */
export function goToTarget(target: ThreadTarget, { isMounted, signal }: GoOptions): void {
  const step = target.within ? showPlace(target, isMounted) : showWhole(target);
  const next = () => {
    if (!signal.aborted && !step()) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** The row is mounted some frames later, when the list has been scrolled there. */
const showWhole =
  ({ messageId }: ThreadTarget) =>
  () => {
    const message = messageOf(messageId);
    if (message) focusOn(message);
    return message !== null;
  };

/** The list corrects its position while it measures: the place is shown when it stands still. */
function showPlace({ messageId, within = '', keepsFocus = false }: ThreadTarget, isStill: boolean) {
  let frames = 0;
  let stillFrames = 0;
  let lastTop: number | undefined;
  return () => {
    const message = messageOf(messageId);
    if (!message) return false;
    const places = message.querySelectorAll<HTMLElement>(within);
    const [first = message] = places;
    const { top } = first.getBoundingClientRect();
    stillFrames = top === lastTop ? stillFrames + 1 : 0;
    lastTop = top;
    frames += 1;
    const isReady = places.length > 0 && (isStill || stillFrames >= STILL_FRAMES);
    if (!isReady && frames < MAX_FRAMES) return false;
    first.scrollIntoView({ block: places.length > 0 ? 'center' : 'nearest' });
    for (const place of places) mark(place);
    if (!keepsFocus) focusOn([...places].find((it) => it.tagName === 'BUTTON') ?? message);
    return true;
  };
}

function mark(place: HTMLElement): void {
  place.dataset.shown = '';
  setTimeout(() => delete place.dataset.shown, MARK_MS);
}

function focusOn(element: HTMLElement): void {
  if (element.tagName !== 'BUTTON') {
    // The focus is moved by script only: Tab continues inside the message.
    element.tabIndex = -1;
    element.style.outline = 'none';
  }
  element.focus({ preventScroll: true });
}
