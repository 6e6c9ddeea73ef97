import type { DemoAllowance, User } from '@stolas/backend/contract';
import { Sparkles } from 'lucide-react';
import { Link } from 'wouter';
import { Banner } from '../../ui/banner.tsx';

/** Whether a guest has used up the demo. */
export const isDemoUsedUp = ({ demo }: Pick<User, 'demo'>): boolean =>
  demo !== undefined && (demo.messagesLeft <= 0 || demo.tokensLeft <= 0);

/** Counts what is left of the demo (docs/product.md, 'Limits'). */
export function DemoBanner({ user }: { user: User }) {
  const { demo } = user;
  return (
    <Banner
      tone="warning"
      icon={<Sparkles aria-hidden="true" />}
      className="rounded-none py-1.5"
      action={
        <Link
          href="/subscription"
          className="flex items-center rounded-sm font-medium text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          Choose a plan
        </Link>
      }
    >
      <span className="font-medium">Demo mode</span>
      <span className="text-muted">
        {' · '}
        {isDemoUsedUp(user) ? 'All used up' : demo && describeAllowance(demo)}
      </span>
    </Banner>
  );
}

function describeAllowance({ messagesLeft, tokensLeft }: DemoAllowance): string {
  const messages = messagesLeft === 1 ? '1 message' : `${messagesLeft} messages`;
  return `${messages} and ${tokensLeft.toLocaleString()} tokens left`;
}
