import { t } from 'virtual:texts/chat';
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
    label={t('sidebarWidth')}
    edge="right"
    width={useSidebar((state) => state.width)}
    min={MIN_WIDTH}
    max={MAX_WIDTH}
    initial={DEFAULT_WIDTH}
    onResize={setSidebarWidth}
  />
);
