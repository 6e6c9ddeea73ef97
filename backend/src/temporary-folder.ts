import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder without a write for this long belongs to a killed process. */
const ABANDONED_MS = 24 * 3600_000;

/** Creates a folder in the system's folder for temporary files, and removes folders with this prefix of killed processes. */
export async function createTemporaryFolder(prefix: string): Promise<string> {
  const parent = tmpdir();
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const abandoned = path.join(parent, name);
    const facts = await stat(abandoned).catch(() => null);
    if (facts && Date.now() - facts.mtimeMs > ABANDONED_MS)
      await rm(abandoned, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(path.join(parent, prefix));
}
