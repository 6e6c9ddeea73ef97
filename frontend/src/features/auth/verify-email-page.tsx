import type { MessageResult } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { apiPost, userMessageOf } from '../../lib/api.ts';
import { getAuthToken } from '../../lib/auth-token.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { takeLinkToken } from './link-token.ts';

/** /verify-email: opened by a mailed link (`#token=`), which confirms an address. Needs no session. */
export function VerifyEmailPage() {
  const [token] = useState(takeLinkToken);
  // A query and not an effect, so that the link is used once however often the page is rendered.
  const { data, error, isPending } = useQuery({
    queryKey: ['auth-link', token],
    queryFn: () => apiPost<MessageResult>('/api/auth/email/confirm', { token: token ?? '' }),
    enabled: token !== null,
  });
  const signedIn = getAuthToken() !== null;
  return (
    <AuthFrame title="Your e-mail address">
      <output className="grid min-h-24 justify-items-center gap-3 text-center">
        {token !== null && isPending && <Spinner className="size-6" />}
        {data && (
          <Outcome icon={<CircleCheck aria-hidden="true" className="size-8 text-success" />}>
            {data.message}
          </Outcome>
        )}
        {(error || token === null) && (
          <Outcome icon={<CircleX aria-hidden="true" className="size-8 text-danger" />}>
            {token === null
              ? 'This link is not complete. Open it again from the mail.'
              : userMessageOf(error, 'This did not work. Open the link in the mail again.')}
          </Outcome>
        )}
      </output>
      {(data || error || token === null) && (
        <Button asChild variant="primary" className="mt-6 w-full">
          {error && signedIn ? (
            <Link href="/settings">Go to Settings</Link>
          ) : (
            <Link href={signedIn ? '/' : '/login'}>{signedIn ? 'Go to STOLAS' : 'Sign In'}</Link>
          )}
        </Button>
      )}
    </AuthFrame>
  );
}

const Outcome = ({ icon, children }: { icon: ReactNode; children: ReactNode }) => (
  <>
    {icon}
    <p className="text-balance">{children}</p>
  </>
);
