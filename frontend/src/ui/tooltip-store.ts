import { create } from 'zustand';

/** The delays of docs/product.md, 'Limits'. */
const DELAY_MS = 700;
const SKIP_DELAY_MS = 300;
/** Time for the pointer to cross the gap between an element and its tooltip. */
const LEAVE_MS = 100;

interface OpenTooltip {
  id: string;
  /** The element that the tooltip explains. */
  anchor: Element;
}

/** At most one tooltip is open. */
export const useOpenTooltip = create<{ open: OpenTooltip | null }>(() => ({ open: null }));

let timer: ReturnType<typeof setTimeout> | undefined;
let hoveredId: string | null = null;
let closedAt = Number.NEGATIVE_INFINITY;
let isPressed = false;

const openNow = (open: OpenTooltip) => {
  clearTimeout(timer);
  useOpenTooltip.setState({ open });
};

export function closeTooltip(): void {
  clearTimeout(timer);
  if (!useOpenTooltip.getState().open) return;
  closedAt = Date.now();
  useOpenTooltip.setState({ open: null });
}

/** Opens after the delay, or at once when a tooltip is open or was open a moment ago. */
export function hoverTooltip(tooltip: OpenTooltip): void {
  // A tooltip that a click has closed stays closed until the pointer comes back.
  if (hoveredId === tooltip.id) return;
  hoveredId = tooltip.id;
  clearTimeout(timer);
  const { open } = useOpenTooltip.getState();
  if (open !== null || Date.now() - closedAt < SKIP_DELAY_MS) openNow(tooltip);
  else timer = setTimeout(() => openNow(tooltip), DELAY_MS);
}

export function leaveTooltip(): void {
  hoveredId = null;
  clearTimeout(timer);
  timer = setTimeout(closeTooltip, LEAVE_MS);
}

/** Keeps the tooltip open while the pointer is on it. */
export const keepTooltip = (): void => clearTimeout(timer);

/** Opens at once, unless a press has moved the focus. On touch a closing dialog moves it: the tooltip would cover what stands there. */
export function focusTooltip(tooltip: OpenTooltip): void {
  if (!isPressed && !window.matchMedia('(hover: none)').matches) openNow(tooltip);
}

export function pressTooltip(): void {
  closeTooltip();
  isPressed = true;
  const release = () => {
    isPressed = false;
    document.removeEventListener('pointerup', release);
    document.removeEventListener('pointercancel', release);
  };
  document.addEventListener('pointerup', release);
  document.addEventListener('pointercancel', release);
}

/** Forgets a tooltip whose element is gone. */
export function forgetTooltip(id: string): void {
  if (hoveredId === id) {
    hoveredId = null;
    clearTimeout(timer);
  }
  if (useOpenTooltip.getState().open?.id === id) closeTooltip();
}
