import type { Memory, MemoryEvent } from '../../contract/memory.ts';
import type { EventRecord, MemoryRecord } from './record.ts';

export const presentMemory = (record: MemoryRecord): Memory => ({
  id: record.id,
  scope: record.scope,
  scopeId: record.scopeId,
  kind: record.kind,
  text: record.text,
  state: record.state,
  isPinned: record.isPinned,
  version: record.version,
  ...(record.state === 'pending' && record.reason && { reason: record.reason }),
  ...(record.source && { source: record.source }),
  createdAt: record.createdAt.toISOString(),
  updatedAt: record.updatedAt.toISOString(),
});

export const presentEvent = ({
  memoryId: _memoryId,
  ownerId: _ownerId,
  ...event
}: EventRecord): MemoryEvent => ({
  ...event,
  at: event.at.toISOString(),
});
