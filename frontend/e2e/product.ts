import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The project's folder, also when this file is bundled elsewhere. */
export function projectRoot(folder = import.meta.dirname): string {
  return existsSync(path.join(folder, 'scripts/start.mjs'))
    ? folder
    : projectRoot(path.dirname(folder));
}

export interface Product {
  url: string;
  /** The folder of its data and its emails. */
  dataDir: string;
  /** Its output. */
  output: () => string;
  /** Kills its processes of one kind, which then start again. */
  kill: (kind: 'web' | 'worker') => Promise<void>;
  /** Stops it like Ctrl-C, and removes its data. */
  stop: () => Promise<void>;
}

/**
 * Starts the product by `npm start`, with its own data folder and port; `env` overrides settings. With `WEB_PROCESSES=2` it has several
 * web processes, and each request and socket of a journey reaches the next one.
 */
export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  const root = projectRoot();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-e2e-'));
  const port = env.PORT ?? (await getPort());
  const webs = process.env.WEB_PROCESSES;
  const args = [path.join(root, 'scripts/start.mjs'), ...(webs ? ['--web', webs] : [])];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: dataDir,
      GUESTS_PER_HOUR: '1000',
      OCR: 'false',
      ...(webs && { KEEP_ALIVE_SECONDS: '0' }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed += chunk.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return {
    url: await readyAddress(child, () => printed),
    dataDir,
    output: () => printed,
    kill: (kind) => killChildren(child, path.join(root, `backend/dist/${kind}.js`)),
    stop,
  };
}

/** Kills the children of a process that run a script. */
async function killChildren({ pid }: ChildProcess, script: string): Promise<void> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid), '-f', script]);
  for (const id of stdout.trim().split('\n')) process.kill(Number(id), 'SIGKILL');
}

function readyAddress(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /STOLAS is ready at (\S+)/.exec(output())?.[1];
      if (address) resolve(address);
    });
    child.once('exit', () => reject(new Error(`npm start ended:\n${output()}`)));
  });
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

/** Only bounds what would never come. */
const WAIT_MS = 300_000;

/** A browser of one user: its tabs share the session. Collects the errors of every console. */
export class Visitor {
  readonly errors: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    private readonly url: string,
  ) {}

  static async arrive(
    browser: Browser,
    url: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Visitor> {
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
  async register(email: string, password: string, firstName = 'Ada'): Promise<Page> {
    const page = await this.open('/login');
    await page.getByRole('button', { name: "Don't have an account? Sign up" }).click();
    await page.getByLabel('First Name').fill(firstName);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await page.getByText('Choose Your Plan').waitFor();
    return page;
  }

  async signIn(email: string, password: string): Promise<Page> {
    const page = await this.open('/login');
    await fillSignIn(page, email, password);
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
export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}
