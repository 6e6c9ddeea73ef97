import path from 'node:path';
import { lockFolder } from './lock.ts';
import { openLog } from './logs.ts';
import { type Environment, planServices, type Service } from './plan.ts';
import { requireFreePort } from './ports.ts';
import { projectRoot } from './root.ts';
import { reachable, readSettings, type Settings } from './settings.ts';
import { StartError } from './start-error.ts';
import { untilStopped } from './stop-signals.ts';
import { SupervisedService } from './supervised.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** A run with a locked data folder and running embedded services. */
export type Supervisor = {
  readonly settings: Settings;
  /** Environment variables by which clients reach the embedded services. */
  readonly services: Record<string, string>;
  /** The folder of this package's built processes. */
  readonly scripts: string;
  /** The folder of the built product: web.js and worker.js. */
  readonly productScripts: string;
  readonly logDir: string;
  /** The folder of the frontend's files of the last builds. */
  readonly assetsDir: string;
  readonly terminal: Terminal;
  /** Aborted when the run is to end. */
  readonly stopped: AbortSignal;
  /**
   * Starts services that do not depend on each other, waits until all of them serve and restarts those that end. Services are stopped in
   * reverse order.
   */
  supervise(services: Service[]): Promise<SupervisedService[]>;
};

/** In addition to the drain time of web and worker. */
const GRACE_MS = 5_000;

/**
 * One complete run: locks the data folder, starts the embedded services that `env` needs, calls `run`, and waits for the stop. Ends this
 * process: with 0 after an orderly stop, with 1 and one message after an error.
 */
export async function supervise(options: {
  run: (supervisor: Supervisor) => Promise<void>;
  /** The folder of this package's built processes. */
  scripts: string;
  /** Whether the run listens on PORT, which must be free then. */
  listens: boolean;
  env?: Environment;
}): Promise<never> {
  const { env = process.env } = options;
  // Writing fails once the reader is gone (`npm start | head`); the run continues.
  process.stdout.on('error', () => undefined);
  const terminal = createTerminal((text) => process.stdout.write(text));
  const group = new ServiceGroup(terminal);
  const stop = new AbortController();
  const stopped = untilStopped(() => group.kill()).then(() => stop.abort());
  try {
    await Promise.race([start(), stopped]);
    await stopped;
    terminal.line('\nStopping …');
    await group.stop();
    terminal.line('STOLAS has stopped.');
    process.exit(0);
  } catch (error) {
    stop.abort();
    process.stderr.write(`✗ ${explain(error)}\n`);
    await group.stop();
    process.exit(1);
  }

  async function start(): Promise<void> {
    const lock = await lockFolder(path.resolve(projectRoot(), env.DATA_DIR || './data'));
    const settings = await readSettings(env);
    const { port = 0 } = settings;
    if (options.listens && settings.port !== undefined)
      await requireFreePort(settings.port, settings.host);
    // Production uses no embedded service: web and worker report missing settings.
    const plan = settings.isProduction
      ? { services: [], settings: {} }
      : await planServices(env, {
          dataDir: lock.path,
          scripts: options.scripts,
          cacheDir: path.join(projectRoot(), '.cache'),
          productUrl: settings.publicUrl ?? `http://localhost:${port}`,
          webUrl: `http://${reachable(settings.host)}:${port}`,
        });
    group.logDir = path.join(lock.path, 'logs');
    group.graceMs = settings.stopSeconds * 1000 + GRACE_MS;
    await group.supervise(plan.services);
    await options.run({
      settings,
      services: plan.settings,
      scripts: options.scripts,
      // Builds are in backend/embedded/dist, those of the product in backend/dist.
      productScripts: path.resolve(options.scripts, '../../dist'),
      logDir: group.logDir,
      assetsDir: env.ASSETS_DIR || path.join(lock.path, 'assets'),
      terminal,
      stopped: stop.signal,
      supervise: (services) => group.supervise(services),
    });
  }
}

function explain(error: unknown): string {
  if (error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** All supervised services of one run, in the order of their starts. */
class ServiceGroup {
  logDir = '';
  graceMs = GRACE_MS;
  private readonly stages: SupervisedService[][] = [];
  private stopping = false;
  private readonly terminal: Terminal;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  async supervise(services: Service[]): Promise<SupervisedService[]> {
    if (this.stopping) return [];
    const stage = services.map((service) => this.supervised(service));
    this.stages.push(stage);
    await Promise.all(
      stage.map((one) => this.terminal.step(`${one.name} runs`, () => one.start())),
    );
    return stage;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const stage of this.stages.toReversed()) {
      await Promise.all(stage.map((one) => one.stop({ graceMs: this.graceMs })));
    }
  }

  kill(): void {
    for (const one of this.stages.flat()) one.kill();
  }

  private supervised(service: Service): SupervisedService {
    const say = (text: string) => this.terminal.problem(text);
    const output = openLog({
      dir: this.logDir,
      name: service.name,
      warn: (text) => this.stopping || say(text),
    });
    return new SupervisedService(service, { output, say });
  }
}
