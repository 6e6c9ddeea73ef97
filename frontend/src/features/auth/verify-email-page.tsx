import type { MessageResult } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { apiPost, userMessageOf } from '../../lib/api.ts';
import { getAuthToken } from '../../lib/auth-token.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { isLinkOver, useLinkToken } from './link-token.ts';

/** /verify-email: opened by a mailed link (`#token=`), which confirms an address. Needs no session. */
export function VerifyEmailPage() {
  const { token } = useLinkToken();
  // A query and not an effect, so that the link is used once however often the page is rendered.
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['auth-link', token],
    queryFn: () => apiPost<MessageResult>('/api/auth/email/confirm', { token: token ?? '' }),
    enabled: token !== null,
  });
  const isBusy = token !== null && (isPending || isFetching);
  return (
    <AuthFrame title="Your e-mail address">
      <output className="grid min-h-24 justify-items-center gap-3 text-center">
        {isBusy && <Spinner className="size-6" />}
        {!isBusy && data && (
          <Outcome icon={<CircleCheck aria-hidden="true" className="size-8 text-success" />}>
            {data.message}
          </Outcome>
        )}
        {!isBusy && !data && (
          <Outcome icon={<CircleX aria-hidden="true" className="size-8 text-danger" />}>
            {error
              ? userMessageOf(error, 'This did not work. Check your connection and try again.')
              : 'This link is not complete. Open it again from the mail.'}
          </Outcome>
        )}
      </output>
      <div className="mt-6 min-h-10 pointer-coarse:min-h-11">
        {!isBusy && <WayOn error={error} onRetry={() => void refetch()} />}
      </div>
    </AuthFrame>
  );
}

function WayOn({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error && !isLinkOver(error)) {
    return (
      <Button variant="primary" className="w-full" onClick={onRetry}>
        Try Again
      </Button>
    );
  }
  const [label, href] = wayOn({ failed: error !== null });
  return (
    <Button asChild variant="primary" className="w-full">
      <Link href={href}>{label}</Link>
    </Button>
  );
}

function wayOn({ failed }: { failed: boolean }): [label: string, href: string] {
  if (getAuthToken() === null) return ['Sign In', '/login'];
  return failed ? ['Go to Settings', '/settings'] : ['Go to STOLAS', '/'];
}

const Outcome = ({ icon, children }: { icon: ReactNode; children: ReactNode }) => (
  <>
    {icon}
    <p className="text-balance">{children}</p>
  </>
);
