import { t } from 'virtual:texts/viewer';
import { EdgeResizer } from '../../../ui/edge-resizer.tsx';
import {
  DEFAULT_WIDTH,
  MAX_WIDTH,
  MIN_WIDTH,
  setViewerWidth,
  useViewerWidth,
} from './viewer-store.ts';

/** The viewer's left edge. */
export const ViewerResizer = () => (
  <EdgeResizer
    label={t('width')}
    edge="left"
    width={useViewerWidth((state) => state.width)}
    min={MIN_WIDTH}
    max={MAX_WIDTH}
    initial={DEFAULT_WIDTH}
    onResize={setViewerWidth}
  />
);
