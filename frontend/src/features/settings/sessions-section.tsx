import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/settings';
import type { Session, User } from '@stolas/backend/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Laptop, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { fromServer } from '../../i18n/translate.ts';
import { apiDelete } from '../../lib/api.ts';
import { formatAgo } from '../../lib/time.ts';
import { getNumbered, sessionsKey } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { endingSession, leave, useAction, useEndedSession } from '../auth/index.ts';
import { Section } from './section.tsx';

/** The socket reports changes. */
const sessionsQuery = queryOptions({
  queryKey: sessionsKey,
  queryFn: (read) => getNumbered<Session[]>('/api/auth/sessions', read),
});

/** The user's sessions, each with a way to end it. */
export function SessionsSection({ user }: { user: User }) {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const hasEnded = useEndedSession(error);

  return (
    <Section title={t('sessions')} description={t('sessionsNote')}>
      {error && !hasEnded && (
        <ErrorState title={t('sessionsNotRead')} onRetry={() => void refetch()} />
      )}
      {!sessions && !error && <Skeleton className="h-12 w-full" />}
      {sessions && (
        <>
          <ul className="grid gap-4">
            {sessions.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </ul>
          <SignOutEverywhere user={user} />
        </>
      )}
    </Section>
  );
}

function SessionItem({ session }: { session: Session }) {
  const { id, current, createdAt, lastUsedAt } = session;
  const device = nameOf(session);
  const client = useQueryClient();
  const { run, isPending } = useAction({
    run: () => apiDelete(`/api/auth/sessions/${id}`),
    onDone: () => void client.invalidateQueries(sessionsQuery),
    failed: t('browserNotSignedOut'),
  });
  const Icon = /Android|iOS/.test(session.device) ? Smartphone : Laptop;
  return (
    <li className="flex items-center gap-3">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium break-words">{device}</p>
        <p className="text-sm text-muted">
          {current
            ? t('thisBrowser', { signedIn: formatAgo(createdAt) })
            : t('lastUsed', { used: formatAgo(lastUsedAt), signedIn: formatAgo(createdAt) })}
        </p>
      </div>
      {!current && (
        <Button size="sm" onClick={run} busy={isPending} aria-label={t('signOutOf', { device })}>
          {common('signOut')}
        </Button>
      )}
    </li>
  );
}

/** The server says '{browser} on {system}', or only what it knows of them. */
function nameOf({ device }: Session): string {
  const [browser = '', system] = device.split(' on ').map(fromServer);
  return system === undefined ? browser : t('device', { browser, system });
}

function SignOutEverywhere({ user }: { user: User }) {
  const note =
    user.subscriptionStatus === 'guest'
      ? t('guestSignOutEverywhereNote')
      : t('signOutEverywhereNote');
  const [open, setOpen] = useState(false);
  const end = useAction({
    run: () => endingSession(() => apiDelete('/api/auth/sessions')),
    onDone: () => void leave(),
    failed: t('notSignedOutEverywhere'),
  });
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        {t('signOutEverywhere')}
      </Button>
      {open && (
        <ConfirmDialog
          title={t('askSignOutEverywhere')}
          description={note}
          action={t('signOutEverywhere')}
          onClose={() => setOpen(false)}
          {...end}
        />
      )}
    </>
  );
}
