import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, History, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { type Ref, useRef, useState } from 'react';
import { formatRecent } from '../../lib/time.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../ui/menu.tsx';
import { deleteMemory, editMemory, historyQuery, useAct } from './api.ts';
import { MemoryEditor } from './memory-editor.tsx';
import { Origin } from './origin.tsx';

/** One memory, with all its actions. */
export function MemoryRow({ memory }: { memory: Memory }) {
  const [open, setOpen] = useState<'edit' | 'history' | null>(null);
  const row = useRef<HTMLLIElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const endEdit = () => {
    setOpen(null);
    const { activeElement: active, body } = document;
    // The user may have gone elsewhere while the text was saved.
    if (active === body || row.current?.contains(active)) menuButton.current?.focus();
  };
  const { id, isPinned } = memory;
  return (
    <li ref={row} className="py-3" data-memory={id}>
      <div className="flex items-start gap-3">
        {open === 'edit' ? (
          <MemoryEditor memory={memory} onEnd={endEdit} />
        ) : (
          <div className="min-w-0 flex-1">
            <p className="wrap-anywhere">
              {isPinned && (
                <>
                  <Pin aria-hidden="true" className="me-1.5 inline size-3.5 text-accent" />
                  <span className="sr-only">{t('op_pin')}</span>
                </>
              )}
              <bdi>{memory.text}</bdi>
            </p>
            <Origin memory={memory} />
          </div>
        )}
        <Actions
          memory={memory}
          button={menuButton}
          onEdit={open === 'edit' ? undefined : () => setOpen('edit')}
          onHistory={() => setOpen(open === 'history' ? null : 'history')}
        />
      </div>
      {open === 'history' && <MemoryHistory id={id} />}
    </li>
  );
}

interface ActionsProps {
  memory: Memory;
  button: Ref<HTMLButtonElement>;
  /** Undefined while the memory is edited. */
  onEdit: (() => void) | undefined;
  onHistory: () => void;
}

function Actions({ memory, button, onEdit, onHistory }: ActionsProps) {
  const { id, version, isPinned, state } = memory;
  const pin = useAct(() => editMemory(id, { version, isPinned: !isPinned }));
  const remove = useAct(() => deleteMemory(id));
  // The editor takes the focus when the menu, which holds the focus, is gone.
  const afterClose = useRef<() => void>(undefined);
  const isActive = state === 'active';
  return (
    <Menu>
      <MenuTrigger>
        <IconButton
          ref={button}
          label={t('actions')}
          size="sm"
          disabled={pin.isPending || remove.isPending}
        >
          <Ellipsis aria-hidden="true" />
        </IconButton>
      </MenuTrigger>
      <MenuContent
        align="end"
        onCloseAutoFocus={(event) => {
          if (!afterClose.current) return;
          event.preventDefault();
          afterClose.current();
          afterClose.current = undefined;
        }}
      >
        {isActive && (
          <MenuItem onSelect={() => pin.mutate()}>
            {isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
            {isPinned ? t('unpin') : t('pin')}
          </MenuItem>
        )}
        {isActive && onEdit && (
          <MenuItem
            onSelect={() => {
              afterClose.current = onEdit;
            }}
          >
            <Pencil aria-hidden="true" />
            {t('edit')}
          </MenuItem>
        )}
        <MenuItem onSelect={onHistory}>
          <History aria-hidden="true" />
          {t('history')}
        </MenuItem>
        <MenuItem danger onSelect={() => remove.mutate()}>
          <Trash2 aria-hidden="true" />
          {common('delete')}
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

/** Every change of a memory, the first one first. */
function MemoryHistory({ id }: { id: string }) {
  const { data, isError } = useQuery(historyQuery(id));
  if (isError) return <p role="alert">{t('readFailed')}</p>;
  return (
    <ol aria-label={t('history')} className="mt-2 grid gap-1 border-line border-s-2 ps-3 text-xs">
      {data?.map(({ id: eventId, op, after, at }) => (
        <li key={eventId} className="wrap-anywhere text-muted">
          {t(`op_${op}`)} · {formatRecent(at)} · <bdi className="text-ink">{after.text}</bdi>
        </li>
      ))}
    </ol>
  );
}
