import { useEffect } from 'react';
import { followAccount } from '../../realtime/index.ts';
import { Page } from '../../ui/page.tsx';
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
        <Page>
          <MemoryLibrary />
        </Page>
      </TooltipProvider>
    )
  );
}
