import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment, Service } from './plan.ts';
import { ours } from './plan.ts';
import { freePort } from './ports.ts';
import { startProgram } from './program.ts';
import { untilReady } from './ready.ts';
import { projectRoot } from './root.ts';
import { StartError } from './start-error.ts';
import type { Supervisor } from './supervisor.ts';

/** `npm start`: web and worker on top of the services. */
export async function runApp(supervisor: Supervisor): Promise<void> {
  const { config, settings, stopped } = supervisor;
  const port = config.PORT || (await freePort());
  await keepWorkerAndWeb(supervisor, { ...settings, PORT: String(port) });
  await untilReady(`http://${reachable(config.HOST)}:${port}`, stopped);
  if (!stopped.aborted) welcome(supervisor, port);
}

/** `npm run dev`: the same behind Vite's server; web and worker start again when their code has changed. */
export async function runDev(supervisor: Supervisor): Promise<void> {
  const { config, settings, stopped } = supervisor;
  const port = config.PORT || (await freePort());
  const webPort = await freePort();
  const own = await keepWorkerAndWeb(supervisor, {
    PUBLIC_URL: `http://localhost:${port}`,
    ...settings,
    PORT: String(webPort),
  });
  await supervisor.keep([vite({ port, host: config.HOST, webPort })]);
  const { watchBackend } = (await import(
    pathToFileURL(path.join(projectRoot(), 'backend/build.mjs')).href
  )) as typeof import('../../../build.mjs');
  await watchBackend(() => {
    supervisor.terminal.line('The backend has changed: web and worker start again.');
    for (const keeper of own) void keeper.restart();
  });
  await untilReady(`http://${reachable(config.HOST)}:${port}`, stopped);
  if (!stopped.aborted) welcome(supervisor, port);
}

/** `npm run services`: nothing on top, but the way to what runs. */
export async function runServices({ config, settings, terminal }: Supervisor): Promise<void> {
  if (config.NODE_ENV === 'production') {
    throw new StartError('Production uses no embedded services: there is nothing to start.');
  }
  terminal.line('');
  for (const [name, value] of Object.entries(settings)) terminal.line(`${name}=${value}`);
  terminal.line('\nThe services are ready. Ctrl-C stops them.');
}

async function keepWorkerAndWeb(supervisor: Supervisor, env: Environment) {
  const { scripts } = supervisor;
  // Two stages, the worker first: so the web process is the first to be stopped.
  const started = ['worker', 'web'].map((name) => supervisor.keep([ours({ name, scripts, env })]));
  return (await Promise.all(started)).flat();
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

/** The address by which this machine reaches what listens on `host`. */
const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

function welcome({ config, settings, terminal, logDir }: Supervisor, port: number): void {
  const host = reachable(config.HOST);
  const address =
    config.PUBLIC_URL ?? `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`;
  terminal.line(`\nSTOLAS is ready at ${address}`);
  if (settings.OPENAI_API_KEY) {
    terminal.line('The demo model answers. Set OPENAI_API_KEY for a real one (see .env.example).');
  }
  terminal.line(
    `Logs are in ${path.relative(process.cwd(), logDir) || logDir}. Ctrl-C stops everything.`,
  );
}
