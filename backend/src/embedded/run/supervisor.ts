import path from 'node:path';
import { type Config, ConfigError, parseConfig } from '../../config.ts';
import { Keeper } from './keeper.ts';
import { lockFolder } from './lock.ts';
import { openLog } from './logs.ts';
import { type Environment, type Plan, planServices, type Service } from './plan.ts';
import { requireFreePort } from './ports.ts';
import { projectRoot } from './root.ts';
import { StartError } from './start-error.ts';
import { untilStopped } from './stop-signals.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** A run whose data folder is taken, whose settings are right and whose embedded services serve. */
export type Supervisor = {
  readonly config: Config;
  /** The way to each embedded service, as settings. */
  readonly settings: Record<string, string>;
  /** The folder of the built processes. */
  readonly scripts: string;
  readonly logDir: string;
  readonly terminal: Terminal;
  /** Aborted as soon as the end has been asked for. */
  readonly stopped: AbortSignal;
  /**
   * Starts services that do not depend on each other, waits until all of them serve and keeps them running. What was
   * started last is stopped first.
   */
  keep(services: Service[]): Promise<Keeper[]>;
};

/** Beyond the time that web and worker give what they have in hand. */
const GRACE_MS = 5_000;

/**
 * One whole run: takes the data folder, starts the embedded services that `env` asks for, calls `run`, and waits to be
 * stopped. Ends this process: with 0 after an orderly stop, with 1 and one message when something is wrong.
 */
export async function supervise(options: {
  run: (supervisor: Supervisor) => Promise<void>;
  scripts: string;
  /** Whether the run listens on PORT, which must be free then. */
  listens: boolean;
  env?: Environment;
}): Promise<never> {
  const { env = process.env } = options;
  // A reader that went away (`npm start | head`) is no reason to fall over.
  process.stdout.on('error', () => undefined);
  const terminal = createTerminal((text) => process.stdout.write(text));
  const crew = new Crew(terminal);
  const stop = new AbortController();
  const stopped = untilStopped(() => crew.kill()).then(() => stop.abort());
  try {
    await Promise.race([start(), stopped]);
    await stopped;
    terminal.line('\nStopping …');
    await crew.stop();
    terminal.line('STOLAS has stopped.');
    process.exit(0);
  } catch (error) {
    stop.abort();
    process.stderr.write(`✗ ${explain(error)}\n`);
    await crew.stop();
    process.exit(1);
  }

  async function start(): Promise<void> {
    const lock = await lockFolder(path.resolve(projectRoot(), env.DATA_DIR || './data'));
    const { config, plan } = await resolve(env, lock.path, options.scripts);
    if (options.listens) await requireFreePort(config.PORT, config.HOST);
    crew.logDir = path.join(lock.path, 'logs');
    crew.graceMs = config.DRAIN_SECONDS * 1000 + GRACE_MS;
    await crew.keep(plan.services);
    await options.run({
      config,
      settings: plan.settings,
      scripts: options.scripts,
      logDir: crew.logDir,
      terminal,
      stopped: stop.signal,
      keep: (services) => crew.keep(services),
    });
  }
}

/**
 * What has to be embedded, and the whole configuration that follows from it.
 * @throws ConfigError that lists every wrong setting, before anything has been started.
 */
async function resolve(
  env: Environment,
  dataDir: string,
  scripts: string,
): Promise<{ config: Config; plan: Plan }> {
  // Production runs on nothing that is embedded: what is missing there is an error that names it.
  const plan =
    env.NODE_ENV === 'production'
      ? { services: [], settings: {} }
      : await planServices(env, { dataDir, scripts, cacheDir: path.join(projectRoot(), '.cache') });
  return { config: parseConfig({ ...env, ...plan.settings }), plan };
}

function explain(error: unknown): string {
  if (error instanceof StartError || error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Everything that one run keeps running, in the order in which it was started. */
class Crew {
  logDir = '';
  graceMs = GRACE_MS;
  private readonly stages: Keeper[][] = [];
  private stopping = false;
  private readonly terminal: Terminal;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  async keep(services: Service[]): Promise<Keeper[]> {
    if (this.stopping) return [];
    const stage = services.map((service) => this.keeper(service));
    this.stages.push(stage);
    await Promise.all(
      stage.map((keeper) => this.terminal.step(`${keeper.name} runs`, () => keeper.start())),
    );
    return stage;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const stage of this.stages.toReversed()) {
      await Promise.all(stage.map((keeper) => keeper.stop({ graceMs: this.graceMs })));
    }
  }

  kill(): void {
    for (const keeper of this.stages.flat()) keeper.kill();
  }

  private keeper(service: Service): Keeper {
    const say = (text: string) => this.terminal.problem(text);
    const output = openLog({
      dir: this.logDir,
      name: service.name,
      warn: (text) => this.stopping || say(text),
    });
    return new Keeper(service, { output, say });
  }
}
