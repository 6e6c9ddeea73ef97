import { t } from 'virtual:texts/memory';
import type { ImportMemoriesBody } from '@stolas/backend/contract';
import { Download, Trash2, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { saveFile } from '../../lib/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toast-store.ts';
import { exportMemories, forgetAll, importMemories, useAct } from './api.ts';

/** The actions on all memories at once; without any, there is only the import. */
export function WholeActions({ hasAny }: { hasAny: boolean }) {
  const save = useAct(async () => {
    const day = new Date().toISOString().slice(0, 10);
    const name = `stolas-memories-${day}.json`;
    saveFile(await exportMemories(), { name, type: 'application/json' });
  });
  return (
    <div className="mt-10 flex flex-wrap gap-3 border-t border-line pt-6">
      {hasAny && (
        <Button busy={save.isPending} onClick={() => save.mutate()}>
          <Download aria-hidden="true" className="size-4" />
          {t('export')}
        </Button>
      )}
      <ImportButton />
      {hasAny && <ForgetButton />}
    </div>
  );
}

function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  const { mutate, isPending } = useAct(async (file: File) => {
    const given = readExport(await file.text());
    if (!given) {
      toastError(t('importFailed'), t('importHint'));
      return;
    }
    let count = 0;
    for (let from = 0; from < given.length; from += AT_ONCE) {
      const { memories } = await importMemories({ memories: given.slice(from, from + AT_ONCE) });
      count += memories.length;
    }
    toast({ title: t('imported', { count }) });
  });
  return (
    <>
      <Button busy={isPending} onClick={() => input.current?.click()}>
        <Upload aria-hidden="true" className="size-4" />
        {t('import')}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={t('import')}
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) mutate(file);
        }}
      />
    </>
  );
}

/** The limit of memories in one call. */
const AT_ONCE = 100;

/** The texts of an export; the server checks them. */
function readExport(text: string): ImportMemoriesBody['memories'] | undefined {
  try {
    const { memories } = JSON.parse(text) as ImportMemoriesBody;
    return memories.map(({ text: said, kind, state }) => ({ text: said, kind, state }));
  } catch {
    return undefined;
  }
}

function ForgetButton() {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useAct(forgetAll);
  const onClose = () => setOpen(false);
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden="true" className="size-4" />
        {t('forgetAll')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('forgetAllTitle')}
          description={t('forgetAllHint')}
          action={t('forgetAll')}
          isPending={isPending}
          run={() => mutate(undefined, { onSuccess: onClose })}
          onClose={onClose}
        />
      )}
    </>
  );
}
