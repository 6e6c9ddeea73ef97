import { t } from 'virtual:texts/personas';
import { Link } from 'wouter';
import { ApiError } from '../../lib/api.ts';
import { Button } from '../../ui/button.tsx';

/** Whether a call failed because the plan allows no further persona. */
export const isLimit = (error: unknown): boolean =>
  error instanceof ApiError && error.body?.code === 'persona_limit';

/** The plan allows no further persona. Stands beside the pressed button, and is scrolled into view. */
export const LimitNotice = () => (
  <div
    role="alert"
    ref={(notice) => notice?.scrollIntoView?.({ block: 'nearest' })}
    className="scroll-mb-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface p-4"
  >
    <p>{t('limit')}</p>
    <Button asChild>
      <Link href="/subscription?change=true">{t('seePlans')}</Link>
    </Button>
  </div>
);
