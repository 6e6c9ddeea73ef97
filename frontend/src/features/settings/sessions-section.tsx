import type { Session } from '@stolas/backend/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Laptop, Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { apiDelete } from '../../lib/api.ts';
import { formatAgo } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { endSession, leave } from '../auth/index.ts';
import { isSignedOut, sessionsQuery } from './api.ts';
import { Section } from './section.tsx';
import { useAction } from './use-action.ts';

/** The user's sessions, each with a way to end it. */
export function SessionsSection() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const signedOut = isSignedOut(error);
  useEffect(() => {
    if (signedOut) void endSession();
  }, [signedOut]);

  return (
    <Section title="Sessions" description="Browsers in which you are signed in.">
      {error && !signedOut && (
        <ErrorState title="The sessions could not be read" onRetry={() => void refetch()} />
      )}
      {!sessions && !error && <Skeleton className="h-12 w-full" />}
      {sessions && (
        <>
          <ul className="grid gap-4">
            {sessions.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </ul>
          <SignOutEverywhere />
        </>
      )}
    </Section>
  );
}

function SessionItem({ session }: { session: Session }) {
  const { id, device, current, createdAt, lastUsedAt } = session;
  const client = useQueryClient();
  const { run, isPending } = useAction({
    run: () => apiDelete(`/api/auth/sessions/${id}`),
    onDone: () => void client.invalidateQueries(sessionsQuery),
    failed: 'That browser was not signed out',
  });
  const Icon = /Android|iOS/.test(device) ? Smartphone : Laptop;
  return (
    <li className="flex items-center gap-3">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium break-words">{device}</p>
        <p className="text-sm text-muted">
          {current ? 'This browser' : `Last used ${formatAgo(lastUsedAt)}`}, signed in{' '}
          {formatAgo(createdAt)}
        </p>
      </div>
      {!current && (
        <Button size="sm" onClick={run} busy={isPending} aria-label={`Sign Out of ${device}`}>
          Sign Out
        </Button>
      )}
    </li>
  );
}

function SignOutEverywhere() {
  const [open, setOpen] = useState(false);
  const { run, isPending } = useAction({
    run: () => apiDelete('/api/auth/sessions'),
    onDone: () => void leave(),
    failed: 'You were not signed out everywhere',
  });
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        Sign Out Everywhere
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        <DialogContent
          title="Sign out everywhere?"
          description="You will be signed out in every browser, this one too. Replies that are being written are finished."
        >
          <DialogActions>
            <DialogClose asChild>
              <Button>Cancel</Button>
            </DialogClose>
            <Button variant="danger" onClick={run} busy={isPending}>
              Sign Out Everywhere
            </Button>
          </DialogActions>
        </DialogContent>
      </Dialog>
    </>
  );
}
