import { useEffect, useEffectEvent, useState } from 'react';
import type { ThreadTarget } from '../../../lib/thread-target.ts';

/** How long the message is marked; the mark fades in this time, without reduced motion. */
const MARK_MS = 2_400;
/** A place in a message stands still for so long when the list has been scrolled to the message. */
const STILL_FRAMES = 6;
/** So long after its message a place is waited for. */
const MAX_FRAMES = 60;

interface ShowTargetOptions {
  target: ThreadTarget | null;
  onTarget: () => void;
  scrollTo: (messageId: string) => void;
}

/**
 * Scrolls to the message that is to be shown, or the place in it, and moves the focus there.
 * @returns the id of the message while it is marked; a place in it is marked by `data-shown`
 */
export function useShowTarget({ target, onTarget, scrollTo }: ShowTargetOptions): string | null {
  const [ended, setEnded] = useState<ThreadTarget | null>(null);
  const show = useEffectEvent(({ messageId, within }: ThreadTarget) => {
    onTarget();
    if (!within || !messageOf(messageId)) scrollTo(messageId);
  });
  useEffect(() => {
    if (!target) return undefined;
    const isMounted = messageOf(target.messageId) !== null;
    show(target);
    const stop = untilDone(target.within ? showPlace(target, isMounted) : showWhole(target));
    const timer = setTimeout(() => setEnded(target), MARK_MS);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [target]);
  const isMarked = target !== ended && !target?.within;
  return isMarked ? (target?.messageId ?? null) : null;
}

const messageOf = (messageId: string): HTMLElement | null =>
  document.querySelector(`[data-message-id="${CSS.escape(messageId)}"]`);

/** Calls `step` in each frame until it returns true. @returns a function that ends it */
function untilDone(step: () => boolean): () => void {
  let frame = requestAnimationFrame(function next() {
    if (!step()) frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

/** The row is mounted some frames later, when the list has been scrolled there. */
const showWhole =
  ({ messageId }: ThreadTarget) =>
  () => {
    const message = messageOf(messageId);
    if (message) focusOn(message);
    return message !== null;
  };

/** A list that is scrolled to the message corrects that while it measures: the place is shown when it stands still. */
function showPlace({ messageId, within = '', keepsFocus = false }: ThreadTarget, isStill: boolean) {
  let frames = 0;
  let stillFrames = isStill ? STILL_FRAMES : 0;
  let lastTop: number | undefined;
  return () => {
    const message = messageOf(messageId);
    if (!message) return false;
    const places = message.querySelectorAll<HTMLElement>(within);
    const [first = message] = places;
    const { top } = first.getBoundingClientRect();
    if (top === lastTop) stillFrames += 1;
    lastTop = top;
    frames += 1;
    const isReady = places.length > 0 && stillFrames >= STILL_FRAMES;
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
    // Reached by script alone: Tab goes on to what is in the message.
    element.tabIndex = -1;
    element.style.outline = 'none';
  }
  element.focus({ preventScroll: true });
}
