import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/memory';
import type { Memory, MemoryReceipt, Message, Reply } from '@stolas/backend/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Brain } from 'lucide-react';
import { Link } from 'wouter';
import { memoriesKey, messagesKey } from '../../realtime/index.ts';
import { PopoverChip } from '../../ui/popover-chip.tsx';
import { useAction } from '../auth/index.ts';
import { memoriesByIdQuery, undoMemories } from './api.ts';

interface ChipProps {
  reply: Reply;
  receipt: MemoryReceipt;
}

/** 'Used 2 · Saved 1 · Undo'. Opens the memories themselves. A memory that waits for approval is not saved yet. */
export function Chip({ reply, receipt }: ChipProps) {
  const { read, written, isUndone = false } = receipt;
  const saved = written.filter(({ state }) => state !== 'pending');
  const waiting = written.length - saved.length;
  const done = [
    read.length > 0 && t('used', { count: read.length }),
    saved.length > 0 && t('saved', { count: saved.length }),
  ].filter(Boolean);
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs">
      {done.length > 0 && (
        <PopoverChip
          data-memory-chip
          label={t('chip')}
          className="gap-1.5"
          panelClassName="w-80 text-sm"
          panel={<Contents read={read} saved={saved} />}
        >
          <Brain aria-hidden="true" className="size-3.5 text-muted" />
          {done.join(' · ')}
        </PopoverChip>
      )}
      {waiting > 0 && !isUndone && (
        <Link href="/memory" className="text-cool underline-offset-4 hover:underline">
          {t('pendingCount', { count: waiting })}
        </Link>
      )}
      {written.length > 0 && <Undo reply={reply} isUndone={isUndone} />}
    </div>
  );
}

/** Takes back the saved memories; other tabs receive it with the reply. */
function Undo({ reply, isUndone }: { reply: Reply; isUndone: boolean }) {
  const client = useQueryClient();
  const { run, isPending } = useAction({
    run: () => undoMemories(reply.id),
    onDone: () => {
      client.setQueryData<readonly Message[]>(messagesKey(reply.conversationId), (messages) =>
        messages?.map((message) => (message.id === reply.id ? undone(message) : message)),
      );
      void client.invalidateQueries({ queryKey: memoriesKey });
    },
    failed: t('undoFailed'),
  });
  if (isUndone) return <span className="text-muted">{t('undone')}</span>;
  return (
    <button
      type="button"
      disabled={isPending}
      onClick={run}
      className="min-h-8 rounded-sm px-1 font-medium text-cool underline-offset-4 hover:underline disabled:opacity-50 pointer-coarse:min-h-11"
    >
      {common('undo')}
    </button>
  );
}

function undone<M extends Message>(message: M): M {
  const receipt = message.metadata?.memoryReceipt;
  if (!receipt) return message;
  const memoryReceipt = { ...receipt, isUndone: true };
  return { ...message, metadata: { ...message.metadata, memoryReceipt } };
}

interface ContentsProps {
  read: MemoryReceipt['read'];
  saved: MemoryReceipt['written'];
}

function Contents({ read, saved }: ContentsProps) {
  const ids = [...new Set([...read, ...saved].map(({ id }) => id))];
  const { data, isError } = useQuery(memoriesByIdQuery(ids));
  const byId = new Map(data?.memories.map((memory) => [memory.id, memory]));
  if (isError) return <p role="alert">{t('readFailed')}</p>;
  if (!data) return <p aria-busy="true">{t('loading')}</p>;
  return (
    <>
      {read.length > 0 && (
        <Part title={t('usedTitle')} lines={read.map(({ id }) => ({ id, memory: byId.get(id) }))} />
      )}
      {saved.length > 0 && (
        <Part
          title={t('savedTitle')}
          lines={saved.map(({ id, op }) => ({
            id,
            memory: byId.get(id),
            ...(op === 'remove' && { note: t('removed') }),
          }))}
        />
      )}
      <Link href="/memory" className="text-cool underline-offset-4 hover:underline">
        {t('manage')}
      </Link>
    </>
  );
}

interface PartProps {
  title: string;
  lines: { id: string; memory: Memory | undefined; note?: string }[];
}

const Part = ({ title, lines }: PartProps) => (
  <section>
    <h3 className="mb-1 font-medium">{title}</h3>
    <ul className="grid gap-1.5">
      {lines.map(({ id, memory, note }) => (
        <li key={id} className="wrap-anywhere">
          {memory ? <bdi>{memory.text}</bdi> : <span className="text-muted">{t('gone')}</span>}
          {note && <span className="block text-xs text-muted">{note}</span>}
        </li>
      ))}
    </ul>
  </section>
);
