import { t } from 'virtual:texts/billing';
import { FlaskConical } from 'lucide-react';
import { cn } from '../../../ui/cn.ts';

/** Shown wherever payments are tests. */
export const TestMark = ({ className }: { className?: string }) => (
  <p
    className={cn(
      'inline-flex items-center gap-1.5 rounded-full bg-cool-soft px-3 py-1 text-xs font-medium text-cool',
      className,
    )}
  >
    <FlaskConical aria-hidden="true" className="size-3.5" />
    {t('test')}
  </p>
);
