import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { userMessageOf } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogContent } from '../../../ui/dialog.tsx';
import { TextArea } from '../editor/text-area.tsx';
import { Column } from './column.tsx';
import { endRun, type Run, runOf } from './run.ts';
import { type Subject, useParticipants } from './subjects.ts';
import { useCost } from './use-cost.ts';

interface TrialDialogProps {
  /** They do not change while it is open. */
  subjects: readonly Subject[];
  onClose: () => void;
}

/** One message to all subjects, and their replies side by side. */
export function TrialDialog({ subjects, onClose }: TrialDialogProps) {
  const client = useQueryClient();
  const [message, setMessage] = useState('');
  const [run, setRun] = useState<Run>([]);
  const { data: participants, error } = useParticipants(subjects);
  const content = message.trim();
  const cost = useCost(content, participants);
  const start = (): void => {
    if (!participants || cost === undefined) return;
    endRun(client, run);
    setRun(runOf(participants, content));
  };
  const close = (): void => {
    endRun(client, run);
    onClose();
  };

  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DialogContent
        title={t('tryIt')}
        description={t('tryText')}
        className={subjects.length > 1 ? 'max-w-6xl' : 'max-w-2xl'}
      >
        <form
          className="mt-4 grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            // In React's tree the dialog is inside the form of the editor, which would save and close.
            event.stopPropagation();
            start();
          }}
        >
          <TextArea
            label={t('tryMessage')}
            rows={2}
            value={message}
            maxLength={MAX_LENGTH}
            onChange={setMessage}
          />
          <div className="flex flex-wrap items-center justify-between gap-3">
            <output className="text-sm text-muted">
              {error && userMessageOf(error, common('checkConnection'))}
              {cost !== undefined && t('tryCost', { count: formatNumber(cost) })}
            </output>
            <Button type="submit" variant="primary" disabled={cost === undefined}>
              {subjects.length > 1 ? t('trySendAll', { count: subjects.length }) : t('trySend')}
            </Button>
          </div>
        </form>
        {run.length > 0 && (
          <div className="mt-5 grid grid-cols-[repeat(auto-fit,minmax(min(100%,14rem),1fr))] items-start gap-4">
            {run.map(({ name, send }) => (
              <Column key={send.clientConversationId} name={name} send={send} />
            ))}
          </div>
        )}
      </DialogContent>
    </Dialog>
  );
}

/** A trial needs no longer messages. */
const MAX_LENGTH = 4_000;
