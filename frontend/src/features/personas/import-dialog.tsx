import { t } from 'virtual:texts/personas';
import type { CardPreview } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { updatePersona } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { OpenDialog } from '../../ui/dialog.tsx';
import { DialogActions } from '../../ui/dialog-actions.tsx';
import { showFailure } from '../auth/index.ts';
import { importCard, previewCard } from './api.ts';
import { isLimit } from './limit-notice.tsx';

interface ImportDialogProps {
  onClose: () => void;
  /** The plan allows no further persona. */
  onLimit: () => void;
}

/** Shows the content of a character card before it becomes a persona. */
export function ImportDialog({ onClose, onLimit }: ImportDialogProps) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [accepts, setAccepts] = useState(false);
  const shown = useMutation({
    mutationFn: async (file: File) => ({ file, card: await previewCard(file) }),
    onSuccess: () => setAccepts(false),
    onError: showFailure(t('notRead')),
  });
  const taken = useMutation({
    mutationFn: (file: File) => importCard(file, accepts),
    onSuccess: (persona) => {
      updatePersona(client, persona);
      onClose();
    },
    onError: (error) => {
      if (!isLimit(error)) return showFailure(t('notImported'))(error);
      onClose();
      return onLimit();
    },
  });
  const { data } = shown;
  return (
    <OpenDialog
      title={t('importTitle')}
      description={t('importText')}
      className="max-w-lg"
      onClose={onClose}
    >
      <input
        ref={input}
        type="file"
        accept=".json,.png,application/json,image/png"
        aria-label={t('chooseFile')}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) shown.mutate(file);
          target.value = '';
        }}
      />
      {data && <Card card={data.card} accepts={accepts} onAccept={setAccepts} />}
      <DialogActions>
        <Button busy={shown.isPending} onClick={() => input.current?.click()}>
          {t('chooseFile')}
        </Button>
        {data && (
          <Button variant="primary" busy={taken.isPending} onClick={() => taken.mutate(data.file)}>
            {t('importNow')}
          </Button>
        )}
      </DialogActions>
    </OpenDialog>
  );
}

interface CardProps {
  card: CardPreview;
  accepts: boolean;
  onAccept: (accepts: boolean) => void;
}

function Card({ card, accepts, onAccept }: CardProps) {
  const { persona, creator, creatorNotes, instructions } = card;
  return (
    <div className="mt-4 grid max-h-[50dvh] gap-4 overflow-y-auto text-sm">
      <p>
        <bdi className="block text-base font-medium">{persona.name}</bdi>
        {creator !== '' && <span className="text-muted">{t('by', { name: creator })}</span>}
      </p>
      {persona.description !== '' && <Quoted label={t('description')} text={persona.description} />}
      {persona.instructions !== '' && (
        <Quoted label={t('instructions')} text={persona.instructions} />
      )}
      {creatorNotes !== '' && <Quoted label={t('notes')} text={creatorNotes} />}
      {instructions !== '' && (
        <>
          <Quoted label={t('cardInstructions')} text={instructions} />
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={accepts}
              onChange={({ target }) => onAccept(target.checked)}
              className="size-4 accent-accent"
            />
            {t('acceptInstructions')}
          </label>
        </>
      )}
    </div>
  );
}

const Quoted = ({ label, text }: { label: string; text: string }) => (
  <div>
    <p className="text-muted">{label}</p>
    <p
      dir="auto"
      className="mt-1 max-h-40 overflow-y-auto rounded-sm bg-surface px-3 py-2 wrap-anywhere whitespace-pre-wrap"
    >
      {text}
    </p>
  </div>
);
