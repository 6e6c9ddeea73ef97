import type { Reply } from '@stolas/backend/contract';
import { lazyPart } from '../../ui/lazy-part.tsx';

const Chip = lazyPart(async () => (await import('./chip.tsx')).Chip);

/** Below a reply: the user's memories that it read, and those that were saved after it. */
export function MemoryChip({ reply }: { reply: Reply }) {
  const receipt = reply.metadata?.memoryReceipt;
  if (!receipt || receipt.read.length + receipt.written.length === 0) return null;
  return <Chip reply={reply} receipt={receipt} />;
}
