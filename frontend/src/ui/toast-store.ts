import { create } from 'zustand';

interface ToastOptions {
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  /** Stands below the description of an error. */
  link?: { label: string; href: string } | null;
  /**
   * Milliseconds until it closes by itself; 5000 unless said, and Infinity with an action, which stays until it is used or
   * dismissed. Infinity without an action: when `dismissToast` or a newer toast ends it.
   */
  duration?: number;
  /** An action such as undo or upgrade. Selecting it closes the toast. */
  action?: { label: string; onSelect: () => void };
}

export interface ToastRecord extends ToastOptions {
  id: number;
  open: boolean;
}

/** A dismissed toast closes at once; its record is removed after this long (docs/product.md, 'Notices'). */
const REMOVE_AFTER_MS = 1_000_000;

/** Notices with an action that come back after those that replaced them; with the one that is shown, at most three. */
const MAX_WAITING = 2;

interface Toasts {
  /** At most one is shown: a new one replaces the older (docs/product.md, 'Notices'). */
  current: ToastRecord | null;
  /** The earliest first. */
  waiting: readonly ToastRecord[];
}

export const useToastStore = create<Toasts>(() => ({ current: null, waiting: [] }));

/** Whether the user decides when it closes. */
const isKept = ({ action, duration }: ToastRecord): boolean =>
  action !== undefined && duration === Number.POSITIVE_INFINITY;

/** A newer notice of the same kind replaces it, and acts on the current state. */
const isSameKind = (a: ToastRecord, b: ToastRecord): boolean =>
  a.title === b.title && a.action?.label === b.action?.label;

interface NoticeAnchors {
  /** Notices stand above it. Null on pages without one. */
  composer: HTMLElement | null;
  /** Errors stand below it. Null on pages without one. */
  bar: HTMLElement | null;
  /** A lasting notice has a place of its own in it: on a phone it would cover controls. */
  room: HTMLElement | null;
}

export const useNoticeAnchor = create<NoticeAnchors>(() => ({
  composer: null,
  bar: null,
  room: null,
}));

const anchor = (name: keyof NoticeAnchors) => (element: HTMLElement | null) => {
  useNoticeAnchor.setState({ [name]: element });
  return () => {
    if (useNoticeAnchor.getState()[name] === element) useNoticeAnchor.setState({ [name]: null });
  };
};

/** A `ref` for the composer that notices stand above. */
export const anchorNotices = anchor('composer');

/** A `ref` for the bar with the controls of a page, that errors stand below. */
export const anchorBar = anchor('bar');

/** A `ref` for the place of a notice that lasts. */
export const anchorLasting = anchor('room');

let lastId = 0;

/** Shows a notification and returns its id. */
export function toast(options: ToastOptions): number {
  lastId += 1;
  const duration = options.duration ?? (options.action && Number.POSITIVE_INFINITY);
  const record: ToastRecord = {
    ...options,
    ...(duration !== undefined && { duration }),
    id: lastId,
    open: true,
  };
  const { current, waiting } = useToastStore.getState();
  const kept = current?.open && isKept(current) ? [...waiting, current] : waiting;
  useToastStore.setState({
    current: record,
    waiting: kept.filter((it) => !isSameKind(it, record)).slice(-MAX_WAITING),
  });
  return lastId;
}

/** Shows an error and returns its id. */
export const toastError = (
  title: string,
  description?: string,
  more?: Pick<ToastOptions, 'link' | 'duration' | 'action'>,
): number => toast({ title, ...(description && { description }), variant: 'destructive', ...more });

/** Closes the toast with this id, shown or waiting; then the last one that waits is shown again. */
export function dismissToast(id: number): void {
  const { current, waiting } = useToastStore.getState();
  if (current?.id !== id) {
    useToastStore.setState({ waiting: waiting.filter((it) => it.id !== id) });
    return;
  }
  if (!current.open) return;
  useToastStore.setState({ current: { ...current, open: false } });
  setTimeout(() => remove(id), REMOVE_AFTER_MS);
  showWaiting();
}

/** Nothing comes back when a listener has shown another notice meanwhile, such as that the browser is offline. */
function showWaiting(): void {
  const { current, waiting } = useToastStore.getState();
  const last = waiting.at(-1);
  if (!last || current?.open) return;
  useToastStore.setState({ current: last, waiting: waiting.slice(0, -1) });
}

/** Closes all notices: their actions were for the previous user. */
export const dismissToasts = (): void => useToastStore.setState({ current: null, waiting: [] });

function remove(id: number): void {
  if (useToastStore.getState().current?.id === id) useToastStore.setState({ current: null });
}

/** Whether a notice stands at the bottom of the page. */
export const useHasBottomNotice = (): boolean =>
  useToastStore(({ current }) => current?.open === true && current.variant !== 'destructive');
