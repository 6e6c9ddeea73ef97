import { t } from 'virtual:texts/shared';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from './button.tsx';

/** The way back from a page of a signed-in user: to the chat, or to the plans for users who may not chat. */
export const PageHeader = ({ mayChat }: { mayChat: boolean }) => (
  <header data-top-bar className="mx-auto max-w-4xl px-5 py-4">
    <Button asChild variant="ghost" className="-ml-4">
      <Link href={mayChat ? '/' : '/subscription'}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        {mayChat ? t('backToChat') : t('backToPlans')}
      </Link>
    </Button>
  </header>
);
