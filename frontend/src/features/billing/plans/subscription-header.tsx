import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/plans';
import { t as tShared } from 'virtual:texts/shared';
import type { User } from '@stolas/backend/contract';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { Eye } from '../../../ui/eye.tsx';
import { useSignOut } from '../../auth/index.ts';

function mayGoBack({ subscriptionStatus, subscriptionPlan }: User): boolean {
  if (subscriptionStatus === 'past_due') return subscriptionPlan !== null;
  return subscriptionStatus === 'active' || subscriptionStatus === 'guest';
}

/** A link back to the chat for users who may chat; the signed-in user, or a link to sign in. */
export function SubscriptionHeader({ user }: { user: User | null }) {
  return (
    <header className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-x-4 gap-y-1 px-5 py-4">
      {user && mayGoBack(user) ? (
        <Button asChild variant="ghost" className="-ml-4">
          <Link href="/">
            <ArrowLeft aria-hidden="true" className="size-4" />
            {tShared('backToChat')}
          </Link>
        </Button>
      ) : (
        <Link
          href="/"
          className="flex items-center gap-2 rounded-sm font-semibold pointer-coarse:min-h-11"
        >
          <Eye className="text-gold" />
          STOLAS
        </Link>
      )}
      {user ? (
        <SignedIn email={user.email ?? tApp('guest')} />
      ) : (
        <Button asChild>
          <Link href="/login">{t('toSubscribe')}</Link>
        </Button>
      )}
    </header>
  );
}

function SignedIn({ email }: { email: string }) {
  const { signOut, isPending } = useSignOut();
  return (
    <div className="flex min-w-0 items-center gap-3">
      <span title={email} className="min-w-0 truncate text-sm text-muted">
        {email}
      </span>
      {/* Data can be exported, and the account deleted, without a plan. */}
      <Button asChild variant="ghost" className="-mr-3">
        <Link href="/settings">{tApp('settings')}</Link>
      </Button>
      <Button variant="ghost" className="-mr-4" onClick={signOut} busy={isPending}>
        {tApp('signOut')}
      </Button>
    </div>
  );
}
