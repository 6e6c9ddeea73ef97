import { create } from 'zustand';
import { readItem, writeItem } from './storage.ts';

/** Pixels. */
interface Widths {
  min: number;
  max: number;
  initial: number;
}

/** The width of a panel that the user moves by its edge (`ui/edge-resizer.tsx`). The browser stores it under `key`. */
export function createPanelWidth(key: string, { min, max, initial }: Widths) {
  const clamp = (width: number): number => Math.round(Math.min(max, Math.max(min, width)));
  const useWidth = create(() => ({ width: clamp(Number(readItem(key)) || initial) }));
  const setWidth = (wanted: number): void => {
    const width = clamp(wanted);
    useWidth.setState({ width });
    writeItem(key, String(width));
  };
  return [useWidth, setWidth] as const;
}
