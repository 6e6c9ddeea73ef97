import { t } from 'virtual:texts/forms';
import type { MailedLink as Answer, MailedLinkQuery } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { apiGet } from '../../lib/api.ts';
import { hasMailFolder } from '../../lib/page-settings.ts';

const ASK_EVERY_MS = 1_000;

/** The link of a mail that was written into a folder of this machine, once it is there; nothing where mails are sent. */
export function MailedLink(props: Omit<MailedLinkQuery, 'since'> & { since: Date }) {
  return hasMailFolder() ? <LocalLink {...props} /> : null;
}

function LocalLink({ email, page, since }: Omit<MailedLinkQuery, 'since'> & { since: Date }) {
  const query = new URLSearchParams({ email, page, since: since.toISOString() });
  const { data } = useQuery({
    queryKey: ['mailed-link', email, page, since.getTime()],
    queryFn: () => apiGet<Answer>(`/api/auth/mailed-link?${query}`),
    refetchInterval: ASK_EVERY_MS,
  });
  if (!data?.path) return null;
  return (
    <p className="text-sm text-muted">
      {t('noMailServer')}{' '}
      <a
        href={data.path}
        className="inline-flex items-center text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        {t('openMailedLink')}
      </a>
    </p>
  );
}
