import { useState } from 'react';
import { apiGet } from '../../lib/api.ts';
import { removeAuthToken } from '../../lib/auth-token.ts';
import { refreshUser } from '../../lib/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { startGuest } from './session.ts';

/** /test: shows the user of this browser's session as the server sees it (docs/product.md, 'Screens'). */
export function TestPage() {
  const [result, setResult] = useState('Nothing asked yet.');

  const show = (work: () => Promise<unknown>) => () => {
    work().then(
      (value) => setResult(JSON.stringify(value, null, 2)),
      (error: unknown) => setResult(String(error)),
    );
  };

  return (
    <main className="mx-auto grid max-w-2xl gap-6 px-5 py-12">
      <h1 className="text-xl font-semibold">Authentication test</h1>
      <div className="flex flex-wrap gap-3">
        <Button onClick={show(testStatus)}>Test Auth Status</Button>
        <Button onClick={show(startGuest)}>Login as Guest</Button>
        <Button onClick={show(clearToken)}>Clear Token</Button>
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
  return 'Token cleared.';
}
