import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { newEmail, PASSWORD } from '../../backend/test/new-user.ts';

/** The project's folder, also when this file is bundled elsewhere. */
export function projectRoot(folder = import.meta.dirname): string {
  return existsSync(path.join(folder, 'scripts/start.mjs'))
    ? folder
    : projectRoot(path.dirname(folder));
}

interface Start {
  env: Record<string, string | undefined>;
  /** What it prints once it serves; a process of the product sends a message, which counts as `ready`. */
  ready: RegExp;
  isOfProduct?: boolean;
}

/** Starts a program, which ends with this process, and waits until it serves. Rejects with its output when it ends before. */
export async function startChild(
  command: string,
  args: string[],
  { env, ready, isOfProduct = false }: Start,
) {
  const child = spawn(command, args, {
    cwd: projectRoot(),
    env: { ...process.env, ...env },
    // Processes of the product end with this one when the channel closes.
    stdio: ['ignore', 'pipe', 'pipe', ...(isOfProduct ? (['ipc'] as const) : [])],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  let printed = '';
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    const keep = (text: string) => {
      printed += text;
      const match = ready.exec(printed);
      if (match) resolve(match);
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.once('message', () => keep('ready\n')).once('spawn', () => keep(''));
    const fail = () => reject(new Error(`${[command, ...args].join(' ')} ended:\n${printed}`));
    ended.then(fail, reject);
  });
  return {
    pid: child.pid,
    output: () => printed,
    /** The match of `ready`. */
    found,
    /** Asks it to stop, and waits. @returns its exit code */
    stop: async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

const START = 'scripts/start.mjs';

export type Product = Awaited<ReturnType<typeof startProduct>>;

/**
 * Starts the product by `npm start`, with its own data folder and port; `env` overrides settings. With `WEB_PROCESSES=2` it has several
 * web processes, and each request and socket of a journey reaches the next one.
 */
export async function startProduct(env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-e2e-'));
  const webs = process.env.WEB_PROCESSES;
  const child = await startChild(process.execPath, [START, ...(webs ? ['--web', webs] : [])], {
    ready: /STOLAS is ready at (\S+)/,
    env: {
      NODE_ENV: 'development',
      PORT: String(env.PORT ?? (await getPort())),
      DATA_DIR: dataDir,
      GUESTS_PER_HOUR: '1000',
      OCR: 'false',
      ...(webs && { KEEP_ALIVE_SECONDS: '0' }),
      ...env,
    },
  });
  return {
    url: child.found[1] ?? '',
    /** The folder of its data and its emails. */
    dataDir,
    output: child.output,
    /** Kills its processes of one kind, which then start again. */
    kill: async (kind: 'web' | 'worker'): Promise<void> => {
      const script = path.join(projectRoot(), `backend/dist/${kind}.js`);
      const pgrep = ['-P', String(child.pid), '-f', script];
      const { stdout } = await promisify(execFile)('pgrep', pgrep);
      for (const id of stdout.trim().split('\n')) process.kill(Number(id), 'SIGKILL');
    },
    /** Stops it like Ctrl-C, and removes its data. */
    stop: async (): Promise<void> => {
      await child.stop('SIGINT');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** `npm run services` on a separate folder; `settings` are those for their clients, such as MONGODB_URI. */
export async function startServices(env: Record<string, string | undefined> = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-services-'));
  const child = await startChild(process.execPath, [START, '--services'], {
    ready: /The services are ready/,
    env: { NODE_ENV: 'development', DATA_DIR: dataDir, ...env },
  });
  const lines = child.output().matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm);
  const settings: Record<string, string> = {};
  for (const [, name = '', value = ''] of lines) settings[name] = value;
  return {
    dataDir,
    settings,
    stop: async (): Promise<void> => {
      await child.stop('SIGINT');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Each window would start two processes for the suggestions below its address bar, which no test uses. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** Chromium reads the last list of features only, so this one repeats the list of Playwright 1.65. */
const OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Without these flags Chromium contacts Google's hosts at every start. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...ADDRESS_BAR, ...OFF_BY_PLAYWRIGHT].join(',')}`,
];

export function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: FLAGS });
}

export const WIDE = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export type VisitorOptions = Parameters<Browser['newContext']>[0];

/** Only bounds what would never come. */
const WAIT_MS = 300_000;

/** A browser of one user: its tabs share the session. Collects the errors of every console. */
export class Visitor {
  readonly errors: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    private readonly url: string,
  ) {}

  static async arrive(browser: Browser, url: string, options: VisitorOptions = {}) {
    const context = await browser.newContext({ ...options });
    context.setDefaultTimeout(WAIT_MS);
    return new Visitor(context, url);
  }

  async open(address = '/'): Promise<Page> {
    const page = await this.context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    page.on('pageerror', (error) => this.errors.push(String(error)));
    await page.goto(new URL(address, this.url).href);
    return page;
  }

  /** Registers a new user, who is then shown the plans. */
  async register(email = newEmail(), firstName = 'Ada'): Promise<Page> {
    const page = await this.open('/login');
    await toRegistration(page);
    await page.getByLabel('First Name').fill(firstName);
    await fillRegistration(page, email);
    await page.getByText('Choose Your Plan').waitFor();
    return page;
  }

  /** Starts a guest session by the link to the demo. */
  async enterAsGuest(): Promise<Page> {
    const page = await this.open('/login?demo=true');
    await page.getByText('Start New Conversation').waitFor();
    return page;
  }
}

/** Fills in and submits the form of /login. */
export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await fillAccount(page, email, password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

/** Changes the form of /login to one for new users. */
export const toRegistration = (page: Page): Promise<void> =>
  page.getByRole('button', { name: "Don't have an account? Sign up" }).click();

/** Fills in and submits that form. */
export async function fillRegistration(
  page: Page,
  email = newEmail(),
  password = PASSWORD,
): Promise<void> {
  await fillAccount(page, email, password);
  await page.getByRole('button', { name: 'Create Account' }).click();
}

async function fillAccount(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
}
