import { create } from 'zustand';

interface ToastOptions {
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  /** Stands below the description of an error. */
  link?: { label: string; href: string } | null;
  /** Milliseconds until it closes by itself; 5000 unless said. Infinity: when `dismissToast` or a newer toast ends it. */
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

/** At most one toast exists: a new one replaces the older (docs/product.md, 'Notices'). */
export const useToastStore = create<{ current: ToastRecord | null }>(() => ({ current: null }));

interface NoticeAnchors {
  /** Notices stand above it. Null on pages without one. */
  composer: HTMLElement | null;
  /** A notice that lasts has room of its own in it: on a phone it would cover controls. */
  room: HTMLElement | null;
}

export const useNoticeAnchor = create<NoticeAnchors>(() => ({ composer: null, room: null }));

const anchor = (name: keyof NoticeAnchors) => (element: HTMLElement | null) => {
  useNoticeAnchor.setState({ [name]: element });
  return () => {
    if (useNoticeAnchor.getState()[name] === element) useNoticeAnchor.setState({ [name]: null });
  };
};

/** A `ref` for the composer that notices stand above. */
export const anchorNotices = anchor('composer');

/** A `ref` for the place of a notice that lasts. */
export const anchorLasting = anchor('room');

let lastId = 0;

/** Shows a notification and returns its id. */
export function toast(options: ToastOptions): number {
  lastId += 1;
  useToastStore.setState({ current: { ...options, id: lastId, open: true } });
  return lastId;
}

/** Closes the toast with this id; another one that has taken its place stays. */
export function dismissToast(id: number): void {
  const { current } = useToastStore.getState();
  if (current?.id !== id || !current.open) return;
  useToastStore.setState({ current: { ...current, open: false } });
  setTimeout(() => remove(id), REMOVE_AFTER_MS);
}

function remove(id: number): void {
  if (useToastStore.getState().current?.id === id) useToastStore.setState({ current: null });
}

/** Whether a notice stands at the bottom of the page. */
export const useHasBottomNotice = (): boolean =>
  useToastStore(({ current }) => current?.open === true && current.variant !== 'destructive');
