import { t } from 'virtual:texts/app';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { cn } from './cn.ts';

interface StateProps {
  title: string;
  description?: string;
  icon?: ReactNode;
  className?: string;
}

/** An empty list or no match; `children` may offer an action. */
export function EmptyState({
  title,
  description,
  icon,
  className,
  isHeading = false,
  children,
}: StateProps & { isHeading?: boolean; children?: ReactNode }) {
  const Title = isHeading ? 'h1' : 'p';
  return (
    <div className={cn('flex flex-col items-center gap-2 p-6 text-center', className)}>
      {icon && <div className="mb-2 text-muted [&_svg]:size-8">{icon}</div>}
      <Title className="font-medium">{title}</Title>
      {description && <p className="max-w-sm text-sm text-balance text-muted">{description}</p>}
      {children && <div className="mt-3">{children}</div>}
    </div>
  );
}

/** An error: its cause, what to do, and a retry. */
export function ErrorState({ onRetry, ...state }: StateProps & { onRetry: () => void }) {
  return (
    <div role="alert">
      <EmptyState {...state}>
        <Button onClick={onRetry}>{t('tryAgain')}</Button>
      </EmptyState>
    </div>
  );
}
