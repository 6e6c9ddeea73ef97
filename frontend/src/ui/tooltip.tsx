import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { createPortal } from 'react-dom';
import { Kbd } from './kbd.tsx';
import { placeTooltip, type TooltipSide } from './tooltip-placement.ts';
import {
  closeTooltip,
  focusTooltip,
  forgetTooltip,
  hoverTooltip,
  keepTooltip,
  leaveTooltip,
  pressTooltip,
  useOpenTooltip,
} from './tooltip-store.ts';

interface TooltipProps {
  label: ReactNode;
  shortcut?: string | undefined;
  side?: TooltipSide | undefined;
  /** The one element that the tooltip explains; it must take props. */
  children: ReactElement<ComponentProps<'button'>>;
}

/**
 * Explains an element under the pointer or the focus. Radix has one too: with its positioning it weighs 15 KB, and its
 * Slot would add 2 KB to what every chat loads.
 */
export function Tooltip({ children, ...rest }: TooltipProps) {
  const id = useId();
  const anchor = useOpenTooltip(({ open }) => (open?.id === id ? open.anchor : null));
  useEffect(() => () => forgetTooltip(id), [id]);

  const target = (event: SyntheticEvent) => ({ id, anchor: event.currentTarget });
  const own = children.props;
  const describedBy = own['aria-describedby'] ?? (anchor ? id : undefined);
  return (
    <>
      {cloneElement(children, {
        ...(describedBy && { 'aria-describedby': describedBy }),
        onPointerMove: both(own.onPointerMove, (event) => {
          if (event.pointerType !== 'touch') hoverTooltip(target(event));
        }),
        onPointerLeave: both(own.onPointerLeave, leaveTooltip),
        onPointerDown: both(own.onPointerDown, pressTooltip),
        onClick: both(own.onClick, closeTooltip),
        onFocus: both(own.onFocus, (event) => focusTooltip(target(event))),
        onBlur: both(own.onBlur, closeTooltip),
      })}
      {anchor && createPortal(<Bubble id={id} anchor={anchor} {...rest} />, document.body)}
    </>
  );
}

const both =
  <E,>(first: ((event: E) => void) | undefined, second: (event: E) => void) =>
  (event: E) => {
    first?.(event);
    second(event);
  };

interface BubbleProps extends Omit<TooltipProps, 'children'> {
  id: string;
  anchor: Element;
}

function Bubble({ id, anchor, label, shortcut, side = 'top' }: BubbleProps) {
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (bubble.current) place(bubble.current, anchor, side);
  });
  useEffect(() => closeWithItsSurroundings(anchor), [anchor]);
  return (
    <div
      ref={bubble}
      id={id}
      role="tooltip"
      onPointerEnter={keepTooltip}
      onPointerLeave={leaveTooltip}
      className="fixed z-50 flex w-max max-w-[min(22rem,calc(100vw-1rem))] animate-fade items-center gap-2 rounded-sm border border-line bg-raised px-2.5 py-1.5 text-xs text-ink shadow-float select-none"
    >
      {label}
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </div>
  );
}

function place(bubble: HTMLElement, anchor: Element, side: TooltipSide): void {
  const { left, top } = placeTooltip(side, {
    anchor: anchor.getBoundingClientRect(),
    size: { width: bubble.offsetWidth, height: bubble.offsetHeight },
    view: { width: window.innerWidth, height: window.innerHeight },
  });
  Object.assign(bubble.style, { left: `${left}px`, top: `${top}px` });
}

/** Closes the tooltip when its anchor may have moved, and by Escape. */
function closeWithItsSurroundings(anchor: Element): () => void {
  const listeners = new AbortController();
  const { signal } = listeners;
  const onScroll = ({ target }: Event) => {
    if (target instanceof Node && target.contains(anchor)) closeTooltip();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // The dialog around the anchor stays open.
    event.preventDefault();
    closeTooltip();
  };
  window.addEventListener('scroll', onScroll, { signal, capture: true, passive: true });
  window.addEventListener('resize', closeTooltip, { signal });
  window.addEventListener('keydown', onKeyDown, { signal, capture: true });
  return () => listeners.abort();
}
