import { t as app } from 'virtual:texts/app';
import { t } from 'virtual:texts/sharedPage';
import type { SharedPage as Shown } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { fromServer } from '../../i18n/translate.ts';
import type { ApiError } from '../../lib/api.ts';
import { reloadPage } from '../../lib/location.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { formatDay } from '../../lib/time.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { PublicPage } from '../../ui/public-page.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { returnAfterSignIn } from '../auth/index.ts';
import { fileAddress, isRefused, needsAccount, sharedQuery } from './api.ts';
import { ContinueButton } from './continue-button.tsx';
import { SharedMessages } from './shared-messages.tsx';

/** /s/<id>: what a public link shows. It opens no socket, and reads nothing of an account. */
export function SharedPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(sharedQuery(id));
  usePageTitle(data?.title ?? t('title'));
  if (isRefused(error)) return <Refusal id={id} error={error} />;
  if (data) return <Content id={id} page={data} />;
  if (!error) return <FullScreenSpinner />;
  return (
    <main className="grid min-h-dvh place-content-center px-5">
      <ErrorState title={t('unreadable')} onRetry={() => void refetch()} />
    </main>
  );
}

function Content({ id, page }: { id: string; page: Shown }) {
  const isLive = page.kind === 'live';
  const date = formatDay(page.createdAt);
  return (
    <PublicPage
      title={page.title ?? t('oneReply')}
      lead={isLive ? t('isLive') : t('isSnapshot', { date })}
    >
      <div className="mt-6">
        <ContinueButton id={id} page={page} />
      </div>
      <div className="@container mt-8 border-t border-line pt-8">
        <SharedMessages
          content={page}
          addressOf={(ref, options) => fileAddress(id, ref, options)}
        />
      </div>
      {page.isFull && (
        <Banner
          className="mt-8"
          action={
            <Button size="sm" onClick={reloadPage}>
              {t('reload')}
            </Button>
          }
        >
          {t('full')}
        </Banner>
      )}
    </PublicPage>
  );
}

/** Why the link shows nothing, and what to do. */
function Refusal({ id, error }: { id: string; error: ApiError }) {
  if (needsAccount(error))
    return (
      <Refused title={t('signInFirst')} lead={t('signInLine')}>
        <SignIn id={id} />
      </Refused>
    );
  const { status, body } = error;
  const isOver = status === 410 && body !== undefined;
  return (
    <Refused
      title={isOver ? fromServer(body.message) : t('missing')}
      lead={isOver ? t('overLine') : t('missingLine')}
    >
      <Button asChild>
        <Link href="/">{t('home')}</Link>
      </Button>
    </Refused>
  );
}

const Refused = ({ children, ...page }: { title: string; lead: string; children: ReactNode }) => (
  <PublicPage {...page}>
    <div className="mt-6">{children}</div>
  </PublicPage>
);

const SignIn = ({ id }: { id: string }) => (
  <Button asChild variant="primary">
    <Link href="/login" onClick={() => returnAfterSignIn(`/s/${id}`)}>
      {app('signIn')}
    </Link>
  </Button>
);
