import { t } from 'virtual:texts/viewer';
import { SidePanel, useIsWide } from '../../../ui/side-panel.tsx';
import { closeFile, type FilePlace, takeFocus, useVisits } from '../place.ts';
import { FileView } from './file-view.tsx';
import type { BackTo } from './viewer-header.tsx';
import { ViewerResizer } from './viewer-resizer.tsx';
import { useViewerWidth } from './viewer-store.ts';

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
      {isWide && <ViewerResizer />}
      <FileView
        key={place.fileId}
        place={place}
        exits={{ isSheet: !isWide, onClose, ...(backTo && { backTo }) }}
      />
    </SidePanel>
  );
}
