// Processes of a former commit on the same database and Redis as processes of this one, as during a deploy. What they say to each other
// is also tested without that commit: builds.test.ts, job-payloads.test.ts, src/http/static-files.test.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import type { AttachedFile, FilePage, UploadTarget } from '../src/contract/files.ts';
import { buildFormer, hasFormer } from './former-build.ts';
import { startProcess, type TestProcess } from './processes.ts';
import { ApiClient, longText, type Stack, startStack } from './stack.ts';

const TEXT = longText(300);
type Build = 'former' | 'present';
const BUILDS: Build[] = ['former', 'present'];
const PAIRS: [Build, Build][] = [
  ['former', 'present'],
  ['present', 'former'],
];
const otherThan = (build: Build): Build => (build === 'former' ? 'present' : 'former');

const isThere = await hasFormer();
if (!isThere)
  process.stderr.write('This clone lacks the former commit: its processes were not tested.\n');

let stack: Stack;
let webs: Record<Build, TestProcess>;
let workers: Record<Build, TestProcess>;

describe.skipIf(!isThere)('processes of a former build beside those of this one', () => {
  beforeAll(async () => {
    const folder = await buildFormer();
    // The former ones first: the migrations of this build must not stop them.
    stack = await startStack({ DRAIN_SECONDS: '60' }, { folder });
    stack.provider.onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 40 } });
    const { env } = stack;
    const [web, worker] = await Promise.all([
      startProcess('web', { env }),
      startProcess('worker', { env }),
    ]);
    webs = { former: stack.web, present: web };
    workers = { former: stack.worker, present: worker };
  });

  /** A user with a page open on each build. */
  async function talk() {
    const guest = await stack.guest();
    const id = await guest.conversation();
    const of = async (build: Build) => {
      const api = new ApiClient(webs[build].url, guest.token);
      return { api, tab: await api.tab(id) };
    };
    return { id, former: await of('former'), present: await of('present') };
  }

  /** Leaves one worker, which takes all jobs. */
  async function leave(build: Build): Promise<void> {
    await workers[otherThan(build)].kill();
    await workers[build].restart();
  }

  async function expectText(talking: Awaited<ReturnType<typeof talk>>): Promise<void> {
    const { id } = talking;
    for (const build of BUILDS) {
      const { api, tab } = talking[build];
      await expect.poll(() => tab.reply.status).toBe('complete');
      expect(tab.reply.text).toBe(TEXT);
      expect((await api.reply(id)).content).toBe(TEXT);
    }
  }

  it.each(PAIRS)(
    'a message that a %s web process accepts is answered by a %s worker, in the tabs of both',
    async (web, worker) => {
      const talking = await talk();
      await leave(worker);
      expect((await talking[web].api.send(talking.id, 'Hello')).status).toBe(202);
      await expectText(talking);
    },
  );

  it.each(PAIRS)('a reply whose %s worker is lost goes on in a %s one', async (lost, next) => {
    const talking = await talk();
    await leave(lost);
    await talking.present.api.send(talking.id, 'Hello');
    const { tab } = talking.former;
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
    await workers[lost].kill();
    const shown = tab.reply.text;
    await workers[next].restart();
    for (const build of BUILDS)
      await expect.poll(() => talking[build].tab.reply.status).toBe('complete');
    const { content } = await talking.present.api.reply(talking.id);
    // The provider of this test begins its text again.
    expect(content.startsWith(shown)).toBe(true);
    expect(content.endsWith(TEXT)).toBe(true);
    for (const build of BUILDS) expect(talking[build].tab.reply.text).toBe(content);
  });

  it.each(PAIRS)(
    'a stop at a %s web process ends the reply of a %s worker; a new title reaches the tabs of both',
    async (web, worker) => {
      const talking = await talk();
      await leave(worker);
      const other = otherThan(web);
      const titles: string[] = [];
      talking[other].tab.socket.on('conversation:changed', ({ title }) => titles.push(title));
      await talking[other].api.send(talking.id, 'Hello');
      await expect.poll(() => talking[web].tab.reply.text.length).toBeGreaterThan(100);
      const { id: replyId } = await talking[web].api.reply(talking.id);
      expect((await talking[web].api.post(`/replies/${replyId}/stop`)).status).toBeLessThan(300);
      for (const build of BUILDS)
        await expect.poll(() => talking[build].tab.reply.status).toBe('stopped');
      const title = `By a ${web} process`;
      await talking[web].api.patch(`/conversations/${talking.id}`, { title });
      await expect.poll(() => titles).toContain(title);
    },
  );

  it.each(PAIRS)(
    'a file that is uploaded to a %s web process is read by a %s worker',
    async (web, worker) => {
      const talking = await talk();
      await leave(worker);
      const { api } = talking[web];
      const bytes = Buffer.from('The barn owl weighs 512 grams.');
      const name = { fileName: 'owls.txt', fileSize: bytes.length };
      const { body: target } = await api.post<UploadTarget>('/objects/upload', name);
      const { uploadURL, method, headers } = target;
      await fetch(uploadURL, { method, headers, body: bytes });
      const attached = { uploadURL, fileName: name.fileName };
      const { id } = (await api.post<AttachedFile>('/objects/attach', attached)).body.file;
      for (const build of BUILDS)
        await expect
          .poll(async () => (await talking[build].api.get<FilePage>(`/files/${id}/pages/1`)).body)
          .toMatchObject({ text: bytes.toString() });
    },
  );
});
