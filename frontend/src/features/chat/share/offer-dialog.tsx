import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/offer';
import type { Conversation } from '@stolas/backend/contract';
import { formatNumber, parseNumber } from '../../../lib/number.ts';
import { live } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogContent } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form.tsx';
import { Field } from '../../../ui/input.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { showFailure, useAction } from '../../auth/index.ts';
import { updateConversation } from '../api.ts';

interface OfferProps {
  conversation: Conversation;
  onClose: () => void;
}

/** The owner of a shared conversation pays for what others ask in it, up to a number of tokens. */
export const OfferDialog = ({ conversation, onClose }: OfferProps) => (
  <Dialog open onOpenChange={(open) => !open && onClose()}>
    <DialogContent title={t('title')} description={t('about')}>
      <div className="mt-4 grid gap-4">
        <OfferForm conversation={conversation} onClose={onClose} />
        {conversation.ownerPays !== undefined && (
          <EndButton conversation={conversation} onClose={onClose} />
        )}
      </div>
    </DialogContent>
  </Dialog>
);

const put = (id: string, ownerPays: number | string | null) =>
  // The server says what is wrong with a text that is no number.
  updateConversation(id, { ownerPays: ownerPays as number | null });

function useOffered(title: string, onClose: () => void) {
  return (changed: Conversation) => {
    live.handlers['conversation:changed'](changed);
    toast({ title });
    onClose();
  };
}

function OfferForm({ conversation: { id, ownerPays }, onClose }: OfferProps) {
  return (
    <Form
      send={(value) => put(id, parseNumber(value('ownerPays')))}
      onDone={useOffered(t('saved'), onClose)}
      onFailure={showFailure(t('failed'))}
      action={common('save')}
      isPrimary
      onCancel={onClose}
    >
      <Field
        label={t('tokens')}
        name="ownerPays"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={ownerPays === undefined ? '' : formatNumber(ownerPays)}
      />
    </Form>
  );
}

function EndButton({ conversation: { id }, onClose }: OfferProps) {
  const { run, isPending } = useAction({
    run: () => put(id, null),
    onDone: useOffered(t('ended'), onClose),
    failed: t('failed'),
  });
  return (
    <Button variant="ghost" className="justify-self-start" busy={isPending} onClick={run}>
      {t('end')}
    </Button>
  );
}
