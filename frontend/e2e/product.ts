import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The product as a person starts it: `npm start`, on a folder and a port of its own. */
export async function startProduct(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stolas-e2e-'));
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: dataDir,
      GUESTS_PER_HOUR: '1000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  return readyAddress(child);
}

function readyAddress(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /STOLAS is ready at (\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`npm start ended:\n${output}`)));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Without these flags Chromium calls its maker's hosts at every start. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  afterAll(() => browser.close());
  return browser;
}

/** A person's browser: tabs share the session. Every error on any console is collected. */
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
    return new Visitor(await browser.newContext({ ...options }), url);
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

  /** Enters as a guest, from the landing page on, as a newcomer does. */
  async enterAsGuest(): Promise<Page> {
    const page = await this.open();
    await page.getByRole('link', { name: 'Enter STOLAS' }).first().click();
    await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
    await page.getByText('Start New Conversation').waitFor();
    return page;
  }
}

/** What axe finds on the page that keeps somebody out (impact serious or critical), as rule and element. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Message STOLAS...').fill(text);
  await page.keyboard.press('Enter');
}

/** The newest reply on the page. */
export const lastReply = (page: Page) => page.locator('[data-role=assistant]').last();

export const statusOf = (page: Page) => lastReply(page).getAttribute('data-status');

export const textOf = async (page: Page) => (await lastReply(page).textContent()) ?? '';

/** Waits until some text of a reply is there and the reply still runs: the moment at which things go wrong. */
export async function whileStreaming(page: Page, { atLeast }: { atLeast: number }): Promise<void> {
  const seen = async () => ({ status: await statusOf(page), text: await textOf(page) });
  await expect
    .poll(async () => {
      const { status, text } = await seen();
      return status === 'streaming' && text.length > atLeast;
    })
    .toBe(true);
}
