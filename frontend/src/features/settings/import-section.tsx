import { t } from 'virtual:texts/settings';
import { useMutation } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../ui/button.tsx';
import { cn } from '../../ui/cn.ts';
import { toast } from '../../ui/toast-store.ts';
import { Section } from './section.tsx';

/** Imports a conversation, and opens it. */
export function ImportSection() {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const { mutate, isPending, error } = useMutation({ mutationFn: importAndOpen });
  const choose = (files: FileList | null) => {
    const [file] = files ?? [];
    if (file && !isPending) mutate(file);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  };
  return (
    <Section title={t('import')} description={t('importNote')}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button does the same */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={cn(
          'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-dashed px-4 py-5',
          isOver ? 'border-accent bg-accent-soft' : 'border-control',
        )}
      >
        <input
          ref={input}
          type="file"
          accept=".json,.md,.markdown,.txt,application/json,text/markdown"
          aria-label={t('importFile')}
          tabIndex={-1}
          className="sr-only"
          onChange={({ target }) => {
            choose(target.files);
            target.value = '';
          }}
        />
        <Button busy={isPending} onClick={() => input.current?.click()}>
          {!isPending && <Upload aria-hidden="true" className="size-4" />}
          {t('importConversation')}
        </Button>
        <p className="text-sm text-muted pointer-coarse:hidden">{t('orDrop')}</p>
      </div>
      <div aria-live="polite">
        {isPending && <p className="text-sm text-muted">{t('importing')}</p>}
        {error && !isPending && <p className="text-sm text-danger">{error.message}</p>}
      </div>
    </Section>
  );
}

async function importAndOpen(file: File): Promise<void> {
  const { importConversation } = await import('../chat/index.ts').catch(() => {
    throw new Error(t('importNotLoaded'));
  });
  const { id } = await importConversation(file);
  navigate(`/?c=${id}`);
  toast({ title: t('imported') });
}
