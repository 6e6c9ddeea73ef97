import type { User } from '@stolas/backend/contract';
import { Page } from '../../../ui/page.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { useUser } from '../../auth/index.ts';
import { FileViewer } from '../lazy.tsx';
import { useFilePlace } from '../place.ts';
import { FileLibrary } from './file-library.tsx';

/** /files (docs/product.md, 'Files'). */
export function FilesPage() {
  const { user } = useUser();
  return (
    user && (
      <TooltipProvider>
        <Library user={user} />
      </TooltipProvider>
    )
  );
}

function Library({ user }: { user: User }) {
  const place = useFilePlace();
  return (
    <div className="flex min-h-0 flex-1 overflow-clip">
      <Page>
        <FileLibrary user={user} />
      </Page>
      {place && <FileViewer place={place} />}
    </div>
  );
}
