import { mayChat, type User } from '@stolas/backend/contract';
import { ArrowLeft } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { followAccount } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { endSession, useUser } from '../../auth/index.ts';
import { FileViewer } from '../lazy.tsx';
import { useFilePlace } from '../place.ts';
import { FileLibrary } from './file-library.tsx';

/** /files (docs/product.md, 'Files'). */
export function FilesPage() {
  const { user } = useUser();
  // Changes of files and of the account that are made elsewhere are shown at once.
  useEffect(() => followAccount(() => void endSession()), []);
  return user && <Page user={user} />;
}

function Page({ user }: { user: User }) {
  const place = useFilePlace();
  return (
    <div className="flex h-dvh overflow-clip">
      <div className="relative min-w-0 flex-1 overflow-y-auto overscroll-contain">
        <header className="mx-auto max-w-4xl px-5 py-4">
          <Button asChild variant="ghost" className="-ml-4">
            <Link href={mayChat(user) ? '/' : '/subscription'}>
              <ArrowLeft aria-hidden="true" className="size-4" />
              {mayChat(user) ? 'Back to Chat' : 'Back to plans'}
            </Link>
          </Button>
        </header>
        <main className="mx-auto max-w-4xl px-5 pb-16">
          <FileLibrary user={user} />
        </main>
      </div>
      {place && <FileViewer place={place} />}
    </div>
  );
}
