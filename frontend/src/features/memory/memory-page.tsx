import { Page } from '../../ui/page.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { useUser } from '../auth/index.ts';
import { MemoryLibrary } from './memory-library.tsx';

/** /memory (docs/product.md, 'Memory'). */
export function MemoryPage() {
  const { user } = useUser();
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
