import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { userMessageOf } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../editor/text-area.tsx';
import { estimateReplies } from './api.ts';
import { Column } from './column.tsx';
import { endRun, type Run, runOf } from './run.ts';
import { type Participant, type Subject, useParticipants } from './subjects.ts';

interface TrialProps {
  /** The participants. The replies so far stay until the next message. */
  subjects: readonly Subject[];
  /** The initial message. */
  question?: string;
}

/** One message to all subjects, and their replies side by side. */
export function Trial({ subjects, question = '' }: TrialProps) {
  const client = useQueryClient();
  const [message, setMessage] = useState(question);
  const [run, setRun] = useState<Run>([]);
  const { data: participants, error: notStored } = useParticipants(subjects);
  const content = message.trim();
  const { cost, error: notEstimated } = useCost(content, participants);
  const error = notStored ?? notEstimated;
  // A run ends when the next one begins, and with the page or the dialog.
  useEffect(() => () => endRun(client, run), [client, run]);

  return (
    <>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          // In React's tree a dialog is inside the form of the editor, which would save and close.
          event.stopPropagation();
          if (participants && cost !== undefined) setRun(runOf(participants, content));
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
          <Button
            type="submit"
            // Beside a form, the form's button is the primary one.
            variant={question === '' ? 'primary' : 'secondary'}
            disabled={cost === undefined}
          >
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
    </>
  );
}

/** A limit of the trial's messages, below that of a conversation. */
const MAX_LENGTH = 4_000;

const DELAY_MS = 300;

/** The tokens that sending the message to all subjects reserves; undefined until known. Also why they are not. */
function useCost(message: string, participants: readonly Participant[] | undefined) {
  const content = useDelayed(message, DELAY_MS);
  const personaIds = participants?.map(({ personaId }) => personaId) ?? [];
  const { data, error } = useQuery({
    queryKey: ['trial-cost', content, personaIds],
    queryFn: ({ signal }) => estimateReplies({ content, personaIds }, signal),
    enabled: content !== '' && personaIds.length > 0,
    gcTime: 0,
  });
  const cost = data?.reduce((sum, it) => sum + it.promptTokens + it.replyTokens, 0);
  return { cost: content === message ? cost : undefined, error };
}
