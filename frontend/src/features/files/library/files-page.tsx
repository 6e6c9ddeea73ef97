import { mayChat, type User } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { followAccount } from '../../../realtime/index.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { endSession, useUser } from '../../auth/index.ts';
import { FileViewer } from '../lazy.tsx';
import { useFilePlace } from '../place.ts';
import { FileLibrary } from './file-library.tsx';

/** /files (docs/product.md, 'Files'). */
export function FilesPage() {
  const { user } = useUser();
  // Changes of files and of the account that are made elsewhere are shown at once.
  useEffect(() => followAccount(() => void endSession()), []);
  return (
    user && (
      <TooltipProvider>
        <Page user={user} />
      </TooltipProvider>
    )
  );
}

function Page({ user }: { user: User }) {
  const place = useFilePlace();
  return (
    <div className="flex h-dvh overflow-clip">
      <div className="relative min-w-0 flex-1 overflow-y-auto overscroll-contain">
        <PageHeader mayChat={mayChat(user)} />
        <main className="mx-auto max-w-4xl px-5 pb-16">
          <FileLibrary user={user} />
        </main>
      </div>
      {place && <FileViewer place={place} />}
    </div>
  );
}
