import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { Ellipsis, History, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../ui/menu.tsx';
import { deleteMemory, editMemory, useAct } from './api.ts';
import { MemoryEditor } from './memory-editor.tsx';
import { MemoryHistory } from './memory-history.tsx';
import { Origin } from './origin.tsx';

/** One memory, with all its actions. */
export function MemoryRow({ memory }: { memory: Memory }) {
  const [open, setOpen] = useState<'edit' | 'history' | null>(null);
  const { id, version, isPinned, state } = memory;
  const pin = useAct(() => editMemory(id, { version, isPinned: !isPinned }));
  const remove = useAct(() => deleteMemory(id));
  const isActive = state === 'active';
  return (
    <li className="py-3" data-memory={id}>
      <div className="flex items-start gap-3">
        {open === 'edit' ? (
          <MemoryEditor memory={memory} onEnd={() => setOpen(null)} />
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
        <Menu>
          <MenuTrigger>
            <IconButton label={t('actions')} size="sm" disabled={pin.isPending || remove.isPending}>
              <Ellipsis aria-hidden="true" />
            </IconButton>
          </MenuTrigger>
          <MenuContent align="end">
            {isActive && (
              <MenuItem onSelect={() => pin.mutate()}>
                {isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
                {isPinned ? t('unpin') : t('pin')}
              </MenuItem>
            )}
            {isActive && (
              <MenuItem onSelect={() => setOpen('edit')}>
                <Pencil aria-hidden="true" />
                {t('edit')}
              </MenuItem>
            )}
            <MenuItem onSelect={() => setOpen(open === 'history' ? null : 'history')}>
              <History aria-hidden="true" />
              {t('history')}
            </MenuItem>
            <MenuItem danger onSelect={() => remove.mutate()}>
              <Trash2 aria-hidden="true" />
              {t('delete')}
            </MenuItem>
          </MenuContent>
        </Menu>
      </div>
      {open === 'history' && <MemoryHistory id={id} />}
    </li>
  );
}
