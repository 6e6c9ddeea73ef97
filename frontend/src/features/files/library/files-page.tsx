import type { User } from '@stolas/backend/contract';
import { Page } from '../../../ui/page.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { FileViewer } from '../lazy.tsx';
import { useFilePlace } from '../place.ts';
import { FileLibrary } from './file-library.tsx';

/** /files (docs/product.md, 'Files'). */
export function FilesPage({ user }: { user: User }) {
  const place = useFilePlace();
  return (
    <TooltipProvider>
      <div className="@container flex min-h-0 flex-1 overflow-clip">
        {/* In the middle of the whole page also beside an open file, as long as the list keeps 28rem: it does not jump. */}
        <Page className="ms-[max(0px,min(calc((100cqw-56rem)/2),calc(100%-28rem)))]">
          <FileLibrary user={user} />
        </Page>
        {place && <FileViewer place={place} />}
      </div>
    </TooltipProvider>
  );
}
