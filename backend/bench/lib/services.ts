import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

interface Services {
  /** The settings for clients: MONGODB_URI, REDIS_URL, and those of the object store and of Stripe. */
  settings: Record<string, string>;
  stop: () => Promise<void>;
}

/** `npm run services` on a separate folder, for benches that write to the database themselves. */
export async function startServices(): Promise<Services> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-bench-data-'));
  const child = spawn(process.execPath, [path.resolve('scripts/start.mjs'), '--services'], {
    env: { ...process.env, NODE_ENV: 'development', DATA_DIR: dataDir, OPENAI_API_KEY: 'bench' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('The services are ready')) break;
  }
  const settings = [...output.matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm)];
  if (settings.length === 0) {
    await stop();
    throw new Error(`npm run services ended:\n${output}`);
  }
  return {
    settings: Object.fromEntries(settings.map(([, name = '', value = '']) => [name, value])),
    stop,
  };
}
