import { mayChat, type User } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { followAccount } from '../../realtime/index.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { MemoryLibrary } from './memory-library.tsx';

/** /memory (docs/product.md, 'Memory'). */
export function MemoryPage() {
  const { user } = useUser();
  // Changes that are made elsewhere are shown at once.
  useEffect(() => followAccount(() => void endSession()), []);
  return (
    user && (
      <TooltipProvider>
        <Page user={user} />
      </TooltipProvider>
    )
  );
}

const Page = ({ user }: { user: User }) => (
  <div className="h-dvh overflow-y-auto overscroll-contain">
    <PageHeader mayChat={mayChat(user)} />
    <main className="mx-auto max-w-4xl px-5 pb-16">
      <MemoryLibrary />
    </main>
  </div>
);
