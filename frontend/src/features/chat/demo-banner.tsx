import type { DemoAllowance } from '@stolas/backend/contract';
import { Sparkles } from 'lucide-react';
import { Link } from 'wouter';
import { Banner } from '../../ui/banner.tsx';

/** Counts what is left of the demo (decision 'Who may chat'). */
export function DemoBanner({ demo }: { demo: DemoAllowance | undefined }) {
  const usedUp = demo !== undefined && (demo.messagesLeft <= 0 || demo.tokensLeft <= 0);
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
        {usedUp ? 'All used up' : demo && allowance(demo)}
      </span>
    </Banner>
  );
}

function allowance({ messagesLeft, tokensLeft }: DemoAllowance): string {
  const messages = messagesLeft === 1 ? '1 message' : `${messagesLeft} messages`;
  return `${messages} and ${tokensLeft.toLocaleString()} tokens left`;
}
