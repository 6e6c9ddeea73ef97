import type { AuthOptions } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { TestPage } from '../features/auth/auth-debug-page.tsx';
import { apiGet } from '../lib/api.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { NotFoundPage } from './not-found-page.tsx';

/** /test, where the installation has it: outside production, or with TEST_PAGE=true. */
export function TestScreen() {
  const { data: options, isPending } = useQuery({
    queryKey: ['auth-options'],
    queryFn: () => apiGet<AuthOptions>('/api/auth/options'),
  });
  if (isPending) return <FullScreenSpinner />;
  return options?.testPage ? <TestPage /> : <NotFoundPage />;
}
