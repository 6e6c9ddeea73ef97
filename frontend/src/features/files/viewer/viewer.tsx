import { t } from 'virtual:texts/viewer';
import { EdgeResizer } from '../../../ui/edge-resizer.tsx';
import { SidePanel, useIsWide } from '../../../ui/side-panel.tsx';
import { closeFile, type FilePlace, takeFocus, useVisits } from '../place.ts';
import { FileView } from './file-view.tsx';
import type { BackTo } from './viewer-header.tsx';
import { setViewerWidth, useViewerWidth, VIEWER_WIDTHS } from './viewer-store.ts';

interface ViewerProps {
  place: FilePlace;
  onClose?: () => void;
  /** The panel in the same place that opened the file: there is a way back to it. */
  backTo?: BackTo;
}

/** A file beside the page; on narrow screens in its place (docs/product.md, 'Files'). */
export function Viewer({ place, onClose = closeFile, backTo }: ViewerProps) {
  const isWide = useIsWide();
  const { width } = useViewerWidth();
  const { count: visit } = useVisits();
  return (
    <SidePanel
      label={t('title')}
      onClose={onClose}
      width={width}
      visit={visit}
      // A page that was loaded with an open viewer keeps its own focus.
      takesFocus={() => visit > 0 && takeFocus()}
    >
      {isWide && (
        <EdgeResizer
          label={t('width')}
          edge="left"
          width={width}
          {...VIEWER_WIDTHS}
          onResize={setViewerWidth}
        />
      )}
      <FileView
        key={place.fileId}
        place={place}
        exits={{ isSheet: !isWide, onClose, ...(backTo && { backTo }) }}
      />
    </SidePanel>
  );
}
