import { t } from 'virtual:texts/settings';
import type { DeletionResult, User } from '@stolas/backend/contract';
import { useState } from 'react';
import { apiDelete } from '../../lib/api.ts';
import { removeItem } from '../../lib/storage.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { Field } from '../../ui/input.tsx';
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

const DeleteForm = ({ user }: { user: User }) => (
  <ProofForm
    user={user}
    send={(proof) => endingSession(() => apiDelete<DeletionResult>('/api/auth/user', proof))}
    onDone={({ receiptId }) => {
      // They outlast a sign-out, but not the account.
      removeItem(`stars:${user.id}`);
      void leave(`/deleted/${receiptId}`);
    }}
    failed={t('notDeleted')}
    action={t('deleteAccount')}
    variant="danger"
  >
    {!user.hasPassword && user.email !== null && <TypedAddress email={user.email} />}
  </ProofForm>
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
