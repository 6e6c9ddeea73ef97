import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/offer';
import type { Conversation } from '@stolas/backend/contract';
import { live } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { OpenDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { TokensForm } from '../../../ui/tokens-form.tsx';
import { showFailure, useAction } from '../../auth/index.ts';
import { updateConversation } from '../api.ts';

interface OfferProps {
  conversation: Conversation;
  onClose: () => void;
}

/** The owner of a shared conversation pays for what others ask in it, up to a number of tokens. */
export const OfferDialog = ({ conversation, onClose }: OfferProps) => (
  <OpenDialog title={t('title')} description={t('about')} onClose={onClose}>
    <OfferForm conversation={conversation} onClose={onClose} />
  </OpenDialog>
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

function OfferForm({ conversation, onClose }: OfferProps) {
  const { id, ownerPays } = conversation;
  return (
    <TokensForm
      send={(tokens) => put(id, tokens)}
      onDone={useOffered(t('saved'), onClose)}
      onFailure={showFailure(t('failed'))}
      name="ownerPays"
      label={t('tokens')}
      tokens={ownerPays ?? null}
      action={common('save')}
      isDialog
      onCancel={onClose}
    >
      {ownerPays !== undefined && <EndButton conversation={conversation} onClose={onClose} />}
    </TokensForm>
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
