import { EdgeResizer } from '../../../ui/edge-resizer.tsx';
import {
  DEFAULT_WIDTH,
  MAX_WIDTH,
  MIN_WIDTH,
  setSidebarWidth,
  useSidebar,
} from './sidebar-store.ts';

/** The sidebar's right edge. */
export const SidebarResizer = () => (
  <EdgeResizer
    label="Sidebar width"
    edge="right"
    width={useSidebar((state) => state.width)}
    min={MIN_WIDTH}
    max={MAX_WIDTH}
    initial={DEFAULT_WIDTH}
    onResize={setSidebarWidth}
  />
);
