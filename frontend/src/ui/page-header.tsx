import { t } from 'virtual:texts/shared';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from './button.tsx';

/** The way back to the plans, for users who may not chat. */
export const PageHeader = () => (
  <header data-top-bar className="mx-auto w-full max-w-4xl px-5 py-4">
    <Button asChild variant="ghost" className="-ml-4">
      <Link href="/subscription">
        <ArrowLeft aria-hidden="true" className="size-4" />
        {t('backToPlans')}
      </Link>
    </Button>
  </header>
);
