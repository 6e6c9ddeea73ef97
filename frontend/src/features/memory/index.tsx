import type { Reply } from '@stolas/backend/contract';
import { lazy, Suspense } from 'react';

const Chip = lazy(async () => ({ default: (await import('./chip.tsx')).Chip }));

/** Below a reply: the user's memories that it read, and those that were saved after it. */
export function MemoryChip({ reply }: { reply: Reply }) {
  const receipt = reply.metadata?.memoryReceipt;
  if (!receipt || receipt.read.length + receipt.written.length === 0) return null;
  return (
    <Suspense>
      <Chip reply={reply} receipt={receipt} />
    </Suspense>
  );
}
