import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/authTest';
import { useState } from 'react';
import { apiGet } from '../../lib/api.ts';
import { removeAuthToken } from '../../lib/auth-token.ts';
import { refreshUser } from '../../lib/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { startGuest } from './session.ts';

/** /test: shows the user of this browser's session as the server sees it (docs/product.md, 'Screens'). */
export function TestPage() {
  const [result, setResult] = useState(() => t('nothing'));

  const show = (work: () => Promise<unknown>) => () => {
    work().then(
      (value) => setResult(JSON.stringify(value, null, 2)),
      (error: unknown) => setResult(String(error)),
    );
  };

  return (
    <main className="mx-auto grid max-w-2xl gap-6 px-5 py-12">
      <h1 className="text-xl font-semibold">{tApp('testPage')}</h1>
      <div className="flex flex-wrap gap-3">
        <Button onClick={show(testStatus)}>{t('status')}</Button>
        <Button onClick={show(startGuest)}>{t('guest')}</Button>
        <Button onClick={show(clearToken)}>{t('clear')}</Button>
      </div>
      <output>
        <pre className="overflow-x-auto rounded-sm bg-code p-4 font-mono text-sm">{result}</pre>
      </output>
    </main>
  );
}

const testStatus = async () => ({ user: await apiGet('/api/auth/user') });

async function clearToken(): Promise<string> {
  removeAuthToken();
  await refreshUser();
  return t('cleared');
}
