import { t } from 'virtual:texts/settings';
import type { DeletionBody, DeletionPreview, DeletionResult, User } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiDelete, apiGet } from '../../lib/api.ts';
import { removeItem } from '../../lib/storage.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { Field } from '../../ui/input.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { endingSession, leave } from '../auth/index.ts';
import { ProofForm } from './reauthentication.tsx';
import { Section } from './section.tsx';

export function DeleteSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  return (
    <Section title={t('delete')} description={t('deleteNote')}>
      <Button variant="danger" className="justify-self-start" onClick={() => setOpen(true)}>
        {t('deleteAccount')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        <DialogContent title={t('askDelete')} description={t('deleteText')}>
          <DeleteForm user={user} />
        </DialogContent>
      </Dialog>
    </Section>
  );
}

function DeleteForm({ user }: { user: User }) {
  const { data, isError, refetch } = useQuery({
    queryKey: ['deletion-preview'],
    queryFn: ({ signal }) => apiGet<DeletionPreview>('/api/account/deletion', { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const { shared = 0, personas = 0, files = 0, messages = 0 } = data ?? {};
  const given = shared + personas + files;
  const [handOver, setHandOver] = useState(true);
  const [eraseMessages, setErase] = useState(false);
  const chosen: Omit<DeletionBody, 'currentPassword'> = {
    ...(given > 0 && { handOver }),
    ...(shared + messages > 0 && { eraseMessages }),
  };
  return (
    <ProofForm
      user={user}
      send={(proof) =>
        endingSession(() => apiDelete<DeletionResult>('/api/auth/user', { ...proof, ...chosen }))
      }
      onDone={({ receiptId }) => {
        // They outlast a sign-out, but not the account.
        removeItem(`stars:${user.id}`);
        void leave(`/deleted/${receiptId}`);
      }}
      failed={t('notDeleted')}
      action={t('deleteAccount')}
      variant="danger"
      isWaiting={!data}
    >
      {isError && <ErrorState title={t('sharedUnread')} onRetry={() => void refetch()} />}
      {given > 0 && (
        <Choice checked={handOver} onChange={setHandOver} hint={t('handOverHint')}>
          {[
            ...(shared > 0 ? [t('handOver', { count: shared })] : []),
            ...(personas > 0 ? [t('handOverPersonas', { count: personas })] : []),
            ...(files > 0 ? [t('handOverFiles', { count: files })] : []),
          ].join(' ')}
        </Choice>
      )}
      {shared + messages > 0 && (
        <Choice checked={eraseMessages} onChange={setErase} hint={t('eraseMessagesHint')}>
          {messages > 0 ? t('eraseMessages', { count: messages }) : t('eraseHandedOver')}
        </Choice>
      )}
      {!user.hasPassword && user.email !== null && <TypedAddress email={user.email} />}
    </ProofForm>
  );
}

interface ChoiceProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint: string;
  children: string;
}

const Choice = ({ checked, onChange, hint, children }: ChoiceProps) => (
  <label className="flex items-start gap-3 text-sm">
    <input
      type="checkbox"
      className="mt-1 size-4 shrink-0 accent-accent"
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span>
      {children} <span className="text-muted">{hint}</span>
    </span>
  </label>
);

/** Prevents a deletion by mistake. */
const TypedAddress = ({ email }: { email: string }) => (
  <Field
    label={t('typeToConfirm', { email })}
    name="email"
    autoComplete="off"
    required
    pattern={email.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}
    title={email}
  />
);
