import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cruiseWalls } from '../../scripts/check-walls.mjs';
import { temporaryFolder } from './processes.ts';

/** A forbidden import: a module, and the one that it must not import. */
const PLANTED: [rule: string, from: string, to: string][] = [
  ['nobody-imports-a-process', 'backend/src/http/a.ts', 'backend/src/processes/web.ts'],
  [
    'processes-take-features-by-their-list',
    'backend/src/processes/a.ts',
    'backend/src/features/chat/index.ts',
  ],
  ['contract-imports-zod-only', 'backend/src/contract/a.ts', 'backend/src/config.ts'],
  ['only-models-know-the-database', 'backend/src/http/a.ts', 'mongoose'],
  ['features-by-their-index', 'backend/src/features/chat/a.ts', 'backend/src/features/files/b.ts'],
  [
    'chat-parts-by-their-index',
    'backend/src/features/chat/messages/a.ts',
    'backend/src/features/chat/generation/b.ts',
  ],
  [
    'what-chat-may-use',
    'backend/src/features/chat/messages/a.ts',
    'backend/src/features/billing/index.ts',
  ],
  [
    'what-usage-may-use',
    'backend/src/features/usage/a.ts',
    'backend/src/features/accounts/index.ts',
  ],
  [
    'what-billing-may-use',
    'backend/src/features/billing/a.ts',
    'backend/src/features/chat/index.ts',
  ],
  ['what-files-may-use', 'backend/src/features/files/a.ts', 'backend/src/features/chat/index.ts'],
  [
    'what-memory-may-use',
    'backend/src/features/memory/a.ts',
    'backend/src/features/files/index.ts',
  ],
  [
    'what-other-features-may-use',
    'backend/src/features/accounts/a.ts',
    'backend/src/features/chat/index.ts',
  ],
  ['ports-know-no-feature', 'backend/src/llm/a.ts', 'backend/src/features/chat/index.ts'],
  ['ports-apart', 'backend/src/llm/a.ts', 'backend/src/jobs/b.ts'],
  ['text-knows-texts-only', 'backend/src/text/a.ts', 'backend/src/search/index.ts'],
  ['http-and-db-know-no-port', 'backend/src/http/a.ts', 'backend/src/jobs/b.ts'],
  ['embedded-stands-alone', 'backend/embedded/s3/a.ts', 'backend/src/config.ts'],
  ['product-without-embedded-services', 'backend/src/processes/a.ts', 'backend/embedded/s3/b.ts'],
  ['backend-without-frontend', 'backend/src/http/a.ts', 'frontend/src/lib/b.ts'],
  ['frontend-sees-the-contract-only', 'frontend/src/lib/a.ts', 'backend/src/errors.ts'],
  ['frontend-lib-imports-the-contract-only', 'frontend/src/lib/a.ts', 'frontend/src/ui/b.ts'],
  ['ui-kit-knows-no-product', 'frontend/src/ui/a.ts', 'frontend/src/features/chat/index.ts'],
  [
    'realtime-knows-no-feature',
    'frontend/src/realtime/a.ts',
    'frontend/src/features/chat/index.ts',
  ],
  [
    'frontend-features-by-their-index',
    'frontend/src/features/chat/a.ts',
    'frontend/src/features/auth/b.ts',
  ],
  ['app-is-the-top', 'frontend/src/ui/a.ts', 'frontend/src/app/b.ts'],
];

it.each(PLANTED)('the wall %s stands between %s and %s', async (rule, from, to) => {
  const folder = await emptyProject();
  await plant(folder, from, to);
  if (to.includes('/')) await plant(folder, to, '');
  expect(await broken(folder)).toContain(`${rule}: ${from} → ${to}`);
});

it('sees a cycle and an unused module', async () => {
  const folder = await emptyProject();
  await plant(folder, 'frontend/src/ui/lonely.ts', '');
  await plant(folder, 'backend/src/http/a.ts', 'backend/src/http/b.ts');
  await plant(folder, 'backend/src/http/b.ts', 'backend/src/http/a.ts');
  const found = await broken(folder);
  expect(found).toContain('no-orphan: frontend/src/ui/lonely.ts → frontend/src/ui/lonely.ts');
  expect(found).toContain('no-cycle: backend/src/http/a.ts → backend/src/http/b.ts');
});

async function emptyProject(): Promise<string> {
  const folder = await temporaryFolder();
  for (const part of ['frontend/src', 'backend/src', 'backend/embedded'])
    await plant(folder, `${part}/main.ts`, '');
  return folder;
}

async function plant(folder: string, file: string, imports: string): Promise<void> {
  const target = imports.includes('/')
    ? path.posix.relative(path.posix.dirname(file), imports)
    : imports;
  const where = target === imports || target.startsWith('.') ? target : `./${target}`;
  await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
  await writeFile(
    path.join(folder, file),
    imports === '' ? 'export {};' : `import * as other from '${where}'; export { other };`,
  );
}

async function broken(folder: string): Promise<string[]> {
  const { summary } = await cruiseWalls(folder);
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}
