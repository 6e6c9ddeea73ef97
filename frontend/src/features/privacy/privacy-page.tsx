import { t } from 'virtual:texts/privacy';
import type { PrivacyStatement } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { apiGet } from '../../lib/api.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { formatDuration } from '../../lib/time.ts';
import { PublicPage, PublicSection, TextLink } from '../../ui/public-page.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Recipients } from './recipients.tsx';

/** /privacy (docs/product.md, 'Privacy'): the server's information about itself. */
export function PrivacyPage() {
  usePageTitle(t('title'));
  const { data, isError, refetch } = useQuery({
    queryKey: ['privacy'],
    queryFn: ({ signal }) => apiGet<PrivacyStatement>('/api/privacy', { signal, on401: 'throw' }),
  });
  if (!data && !isError) return <FullScreenSpinner />;
  return (
    <PublicPage title={t('title')} lead={t('lead')}>
      {data ? (
        <Statement statement={data} />
      ) : (
        <ErrorState title={t('unreadable')} onRetry={() => void refetch()} />
      )}
    </PublicPage>
  );
}

const Statement = ({ statement }: { statement: PrivacyStatement }) => (
  <>
    <PublicSection id="recipients" title={t('recipients')} note={t('recipientsNote')}>
      <Recipients statement={statement} />
    </PublicSection>
    <PublicSection id="training" title={t('training')} note={t('trainingText')} />
    <PublicSection id="retention" title={t('retention')} note={t('retentionNote')}>
      <dl className="mt-5 grid gap-3 text-sm">
        {statement.retention.map(({ kind, seconds }) => (
          <div key={kind} className="flex justify-between gap-6 border-b border-line pb-3">
            <dt>{t(kind)}</dt>
            <dd className="shrink-0 text-muted">{formatDuration(seconds)}</dd>
          </div>
        ))}
      </dl>
    </PublicSection>
    <PublicSection id="rights" title={t('rights')}>
      <ul className="mt-4 grid gap-4">
        {RIGHTS.map(({ text, link, href }) => (
          <li key={href}>
            <p>{t(text)}</p>
            <TextLink href={href}>{t(link)}</TextLink>
          </li>
        ))}
      </ul>
    </PublicSection>
    <PublicSection id="remains" title={t('remains')} note={t('remainsText')} />
  </>
);

const RIGHTS = [
  { text: 'exportText', link: 'exportLink', href: '/settings#export' },
  { text: 'memoryText', link: 'memoryLink', href: '/memory' },
  { text: 'deleteText', link: 'deleteLink', href: '/settings#delete' },
] as const;
