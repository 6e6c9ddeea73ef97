import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { useEffect, useRef, useState } from 'react';
import { messagesOf } from '../../lib/number.ts';
import { queryClient } from '../../lib/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast-store.ts';
import { TokensForm } from '../../ui/tokens-form.tsx';
import { showFailure, useAction } from '../auth/index.ts';
import { putCap, usageQuery } from './api.ts';
import { Subheading } from './subheading.tsx';
import { UsageSum } from './usage-sum.tsx';

/** A limit that users set themselves, per day. */
export function CapSettings({ usage }: { usage: Usage }) {
  const { tokensPerDay, usedToday } = usage;
  const [isEditing, setEditing] = useState(false);
  const button = useFocusAfter(isEditing);
  return (
    <div className="grid gap-3">
      <Subheading>{t('cap')}</Subheading>
      {isEditing ? (
        <CapForm tokensPerDay={tokensPerDay} onClose={() => setEditing(false)} />
      ) : (
        <>
          {tokensPerDay === null ? (
            <p className="text-sm">{t('noCap')}</p>
          ) : (
            <UsageSum used={usage.cap?.used ?? usedToday} limit={tokensPerDay} unit="tokensToday" />
          )}
          <p className="text-sm text-muted">
            {tokensPerDay !== null &&
              `${t('capInMessages', { count: messagesOf(tokensPerDay, usage.tokensPerMessage) })} `}
            {t('capNote')}
          </p>
          <div className="flex flex-wrap gap-3">
            <Button ref={button} onClick={() => setEditing(true)}>
              {tokensPerDay === null ? t('setCap') : t('changeCap')}
            </Button>
            {tokensPerDay !== null && <RemoveButton />}
          </div>
        </>
      )}
    </div>
  );
}

function useCapSaved(title: string) {
  return (usage: Usage) => {
    queryClient.setQueryData(usageQuery.queryKey, usage);
    toast({ title });
  };
}

function RemoveButton() {
  const { run, isPending } = useAction({
    run: () => putCap({ tokensPerDay: null }),
    onDone: useCapSaved(t('capRemoved')),
    failed: t('capNotRemoved'),
  });
  return (
    <Button variant="ghost" busy={isPending} onClick={run}>
      {t('removeCap')}
    </Button>
  );
}

interface CapFormProps extends Pick<Usage, 'tokensPerDay'> {
  onClose: () => void;
}

function CapForm({ tokensPerDay, onClose }: CapFormProps) {
  const onSaved = useCapSaved(t('capSaved'));
  return (
    <TokensForm
      send={(tokens) => putCap({ tokensPerDay: tokens })}
      onDone={(usage) => {
        onSaved(usage);
        onClose();
      }}
      onFailure={showFailure(t('capNotSaved'))}
      name="tokensPerDay"
      label={t('tokensPerDay')}
      hint={t('capNote')}
      tokens={tokensPerDay}
      action={t('saveCap')}
      onCancel={onClose}
    />
  );
}

/** The focus returns to the button that opened the form. */
function useFocusAfter(isEditing: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return button;
}
