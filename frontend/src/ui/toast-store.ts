import { create } from 'zustand';

interface ToastOptions {
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  /** Milliseconds until it closes by itself; 5000 unless said. */
  duration?: number;
  /** An action such as undo or upgrade. Selecting it closes the toast. */
  action?: { label: string; onSelect: () => void };
}

export interface ToastRecord extends ToastOptions {
  id: number;
  open: boolean;
}

/** At most one toast exists: a new one replaces the older (docs/product.md, 'Notices'). */
export const useToastStore = create<{ current: ToastRecord | null }>(() => ({ current: null }));

let lastId = 0;

/** Shows a notification and returns its id. */
export function toast(options: ToastOptions): number {
  lastId += 1;
  useToastStore.setState({ current: { ...options, id: lastId, open: true } });
  return lastId;
}

/** Closes the toast with this id; another one that has taken its place stays. */
export function dismissToast(id: number): void {
  useToastStore.setState(({ current }) =>
    current?.id === id ? { current: { ...current, open: false } } : {},
  );
}
