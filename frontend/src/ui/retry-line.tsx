import { t } from 'virtual:texts/app';
import { Button } from './button.tsx';
import { cn } from './cn.ts';

interface RetryLineProps {
  text: string;
  onRetry: () => void;
  className?: string;
}

/** An error in one line of a list, with a retry. */
export const RetryLine = ({ text, onRetry, className }: RetryLineProps) => (
  <div
    role="alert"
    className={cn(
      'flex flex-wrap items-center justify-between gap-2 px-3 py-2 text-sm text-muted',
      className,
    )}
  >
    {text}
    <Button size="sm" onClick={onRetry}>
      {t('tryAgain')}
    </Button>
  </div>
);
