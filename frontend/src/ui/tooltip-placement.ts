export type TooltipSide = 'top' | 'right' | 'bottom' | 'left';

interface Size {
  width: number;
  height: number;
}

const GAP = 6;
const MARGIN = 8;
const OPPOSITE = { top: 'bottom', right: 'left', bottom: 'top', left: 'right' } as const;

/** Where a tooltip stands in the viewport: beside its anchor, on the other side where it does not fit, never cut off. */
export function placeTooltip(
  side: TooltipSide,
  { anchor, size, view }: { anchor: DOMRect; size: Size; view: Size },
): { left: number; top: number } {
  const centered = {
    left: anchor.left + (anchor.width - size.width) / 2,
    top: anchor.top + (anchor.height - size.height) / 2,
  };
  const places = {
    top: { ...centered, top: anchor.top - GAP - size.height },
    right: { ...centered, left: anchor.right + GAP },
    bottom: { ...centered, top: anchor.bottom + GAP },
    left: { ...centered, left: anchor.left - GAP - size.width },
  };
  const fits = {
    top: places.top.top >= MARGIN,
    right: places.right.left + size.width <= view.width - MARGIN,
    bottom: places.bottom.top + size.height <= view.height - MARGIN,
    left: places.left.left >= MARGIN,
  };
  const { left, top } = places[!fits[side] && fits[OPPOSITE[side]] ? OPPOSITE[side] : side];
  return {
    left: within(left, view.width - size.width - MARGIN),
    top: within(top, view.height - size.height - MARGIN),
  };
}

const within = (value: number, max: number) => Math.max(MARGIN, Math.min(value, max));
