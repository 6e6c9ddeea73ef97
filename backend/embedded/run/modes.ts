import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from './plan.ts';
import { freePort } from './ports.ts';
import { superviseProduct } from './product.ts';
import { startProgram } from './program.ts';
import { untilReady } from './ready.ts';
import { projectRoot } from './root.ts';
import { reachable } from './settings.ts';
import { StartError } from './start-error.ts';
import type { Supervisor } from './supervisor.ts';

const run = promisify(execFile);

/** `npm start`: web and worker, with the services. */
export async function runApp(supervisor: Supervisor): Promise<void> {
  const { settings, stopped } = supervisor;
  const { port } = settings;
  const checked = checkModel(supervisor);
  await superviseProduct(supervisor, { port });
  // The web process reports an invalid PORT and ends.
  if (port === undefined) return;
  await untilReady(`http://${reachable(settings.host)}:${port}`, stopped);
  await checked;
  if (!stopped.aborted) welcome(supervisor, port);
}

/** `npm run dev`: as `npm start`, behind Vite's server; web and worker restart when their code has changed. */
export async function runDev(supervisor: Supervisor): Promise<void> {
  const { settings, stopped } = supervisor;
  const port = settings.port ?? (await freePort());
  const webPort = await freePort();
  const checked = checkModel(supervisor);
  const product = await superviseProduct(supervisor, {
    port: webPort,
    publicUrl: settings.publicUrl ?? `http://localhost:${port}`,
  });
  await supervisor.supervise([vite({ port, host: settings.host, webPort })]);
  const { watchBackend } = (await import(
    pathToFileURL(path.join(projectRoot(), 'backend/build.mjs')).href
  )) as { watchBackend: (onBuilt: () => void) => Promise<unknown> };
  await watchBackend(() => {
    supervisor.terminal.line('The backend has changed: web and worker restart.');
    for (const one of product) void one.restart();
  });
  await untilReady(`http://${reachable(settings.host)}:${port}`, stopped);
  await checked;
  if (!stopped.aborted) welcome(supervisor, port);
}

/** `npm run services`: only the embedded services; prints the settings to reach them. */
export async function runServices({ settings, services, terminal }: Supervisor): Promise<void> {
  if (settings.isProduction) {
    throw new StartError('Production uses no embedded services: there is nothing to start.');
  }
  terminal.line('');
  for (const [name, value] of Object.entries(services)) terminal.line(`${name}=${value}`);
  terminal.line('\nThe services are ready. Ctrl-C stops them.');
}

/** Only bounds what would never end: the check waits some seconds for an answer, after its process has started. */
const MODEL_CHECK_MS = 30_000;

/**
 * Prints whether the operator's model answers, or the refusal and what to do. It runs in parallel with the start of the product and never
 * fails it, because replies call the model again.
 */
async function checkModel(supervisor: Supervisor): Promise<void> {
  const { productScripts, services, stopped, terminal } = supervisor;
  // The demo model is started here, so it answers.
  if (services.OPENAI_API_KEY) return;
  const script = path.join(productScripts, 'check-model.js');
  await run(process.execPath, [script], { timeout: MODEL_CHECK_MS, signal: stopped }).then(
    ({ stdout }) => stdout && terminal.line(stdout.trim()),
    () => stopped.aborted || terminal.problem('The model could not be checked.'),
  );
}

function vite({ port, host, webPort }: { port: number; host: string; webPort: number }): Service {
  const script = path.join(projectRoot(), 'node_modules/vite/bin/vite.js');
  const args = [
    script,
    '--port',
    String(port),
    '--host',
    host,
    '--strictPort',
    '--clearScreen',
    'false',
  ];
  const start: Service['start'] = async (output) =>
    startProgram({
      name: 'vite',
      command: process.execPath,
      args,
      cwd: path.join(projectRoot(), 'frontend'),
      env: { STOLAS_WEB_URL: `http://127.0.0.1:${webPort}` },
      readyWhen: /ready in/,
      output,
    });
  return { name: 'vite', start };
}

function welcome(supervisor: Supervisor, port: number): void {
  const { settings, services, terminal, logDir } = supervisor;
  const host = reachable(settings.host);
  const address =
    settings.publicUrl ?? `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`;
  terminal.line(`\nSTOLAS is ready at ${address}`);
  if (services.OPENAI_API_KEY) {
    terminal.line('The demo model answers. Set OPENAI_API_KEY for a real one (see .env.example).');
  }
  terminal.line(
    `Logs are in ${path.relative(process.cwd(), logDir) || logDir}. Ctrl-C stops everything.`,
  );
}
