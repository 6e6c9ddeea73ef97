import type { UserFile } from '@stolas/backend/contract';
import { BasePlugin } from '@uppy/core';
import Dashboard from '@uppy/dashboard';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UploadServer } from '../../../lib/upload-server.fixture.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import { uploadsOf } from './upload-store.ts';
import { Uploader, type UploaderOptions } from './uploader.ts';
import { storedFile } from './uppy-files.ts';

/** The state that golden retriever restores when the test calls `arrive`. */
const restored = vi.hoisted(() => ({ arrive: (_files: object, _uploads: object): void => {} }));

// The plugin needs IndexedDB, which happy-dom lacks; e2e/files.test.ts uses the real one.
vi.mock('@uppy/golden-retriever', () => ({
  default: class extends BasePlugin<object, never, never> {
    override id = 'GoldenRetriever';
    override type = 'debugger';
    override install(): void {
      restored.arrive = (files, currentUploads) => {
        this.uppy.setState({ recoveredState: {}, currentUploads, files } as never);
        this.uppy.emit('restored', {});
      };
    }
  },
}));
vi.mock('./patience.ts', async (load) => ({
  ...(await load<object>()),
  RETRY_DELAYS_MS: [0, 0, 0, 0],
}));

const MB = 1024 * 1024;
let server: UploadServer;
let uploader: Uploader;
let stored: UserFile[];

const PRO = { subscriptionStatus: 'active', subscriptionPlan: 'pro' } as const;

function open(options: Partial<UploaderOptions> = {}): Uploader {
  stored = [];
  uploader = new Uploader({
    id: 'draft',
    purpose: 'chat',
    user: PRO,
    onStored: (file) => stored.push(file),
    ...options,
  });
  return uploader;
}

/** A file of any size that takes no memory. */
function file(name: string, size = 5, type = 'text/plain'): File {
  const made = new File(['x'.repeat(Math.min(size, 5))], name, { type, lastModified: 1 });
  if (size > 5) Object.defineProperty(made, 'size', { value: size });
  return made;
}

const toasted = () => useToastStore.getState().current;
const uploads = () => uploadsOf('draft');
const states = () => uploads().map(({ state }) => state);

beforeEach(() => {
  server = new UploadServer();
  server.install();
  vi.stubGlobal('fetch', server.fetch);
});

afterEach(() => {
  uploader.close();
});

describe('a restriction is shown in the words of docs/product.md', () => {
  const told = async (files: File[]) => {
    uploader.add(files);
    await expect.poll(() => toasted()).not.toBeNull();
    return [toasted()?.title, toasted()?.description].filter(Boolean).join('\n');
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => file(`${n}.txt`));

  const GUEST = { subscriptionStatus: 'guest', subscriptionPlan: null } as const;

  it('You can only upload 10 files: the first 10 are uploaded', async () => {
    open();
    expect(await told(many(13))).toBe('You can only upload 10 files');
    await expect.poll(() => stored).toHaveLength(10);
    expect(stored.map(({ name }) => name)).not.toContain('10.txt');
  });

  it('You can only upload 1 file: a guest keeps the first one, and is shown the way up', async () => {
    open({ user: GUEST });
    expect(await told(many(2))).toBe(
      'You can only upload 1 file\nA guest can attach 1 file a message. Create an account to attach more.',
    );
    expect(toasted()?.action?.label).toBe('Create an account');
    toasted()?.action?.onSelect();
    expect(location.pathname).toBe('/login');
    await expect.poll(() => stored.map(({ name }) => name)).toEqual(['0.txt']);
    useToastStore.setState({ current: null });
    expect(await told([file('owls.txt')])).toContain('A guest can attach 1 file a message.');
    expect(stored).toHaveLength(1);
  });

  it.each([
    [
      'Pro',
      PRO,
      '25 MB in a message. Upload it to your file library, then attach it from there.',
      25,
    ],
    ['Starter', { ...PRO, subscriptionPlan: 'starter' } as const, '10 MB', 10],
    ['a guest', GUEST, '5 MB', 5],
    // A workspace may pay for their messages; the server knows its plan.
    ['a user without a plan', { subscriptionStatus: null, subscriptionPlan: null }, '25 MB', 25],
  ])('{file} exceeds maximum allowed size of X: for %s', async (_who, user, limit, mb) => {
    open({ user });
    const text = await told([file('owls.pdf', mb * MB + 1)]);
    expect(text).toBe(`owls.pdf exceeds maximum allowed size of ${limit}`);
    expect(server.requests).toEqual([]);
  });

  it('This file is empty. Choose a file with content.', async () => {
    open();
    expect(await told([file('empty.txt', 0)])).toBe(
      'This file is empty. Choose a file with content.',
    );
  });

  it("Cannot add the duplicate file '{name}', it already exists", async () => {
    open().add([file('owls.txt')]);
    await expect.poll(() => stored).toHaveLength(1);
    useToastStore.setState({ current: null });
    const text = await told([file('owls.txt')]);
    expect(text).toBe("Cannot add the duplicate file 'owls.txt', it already exists");
  });

  it("Cannot add the duplicate file '{name}', it already exists: also after a reload", async () => {
    open().add([file('owls.txt')]);
    await expect.poll(() => stored).toHaveLength(1);
    const uploadId = uploader.uppy.getFiles()[0]?.id ?? '';
    uploader.close();
    useToastStore.setState({ current: null });
    open({ known: [{ uploadId, id: 'f', name: 'owls.txt', type: 'text/plain', size: 5 }] });
    expect(await told([file('owls.txt')])).toContain('Cannot add the duplicate file');
  });

  it('You can only upload: {types}', async () => {
    open().uppy.setOptions({ restrictions: { allowedFileTypes: ['image/*', '.pdf'] } });
    expect(await told([file('owls.txt')])).toBe('You can only upload: image/*, .pdf');
  });

  it('You selected X of files, but maximum allowed size is Y', async () => {
    open().uppy.setOptions({ restrictions: { maxTotalFileSize: 2 * MB } });
    expect(await told([file('a.txt', 2 * MB), file('b.txt', MB)])).toBe(
      'You selected 3 MB of files, but maximum allowed size is 2 MB',
    );
  });

  it('You have to select at least N files', async () => {
    open().uppy.setOptions({ restrictions: { minNumberOfFiles: 2 } });
    expect(await told([file('a.txt')])).toBe('You have to select at least 2 files');
  });

  it('Missing required meta fields; Missing required meta fields in {file}', async () => {
    open().uppy.setOptions({ restrictions: { requiredMetaFields: ['caption'] } });
    expect(await told([file('a.txt')])).toBe('Missing required meta fields');
    expect(uploads()).toMatchObject([{ problem: 'Missing required meta fields in a.txt' }]);
  });

  it.each([
    ['Missing required meta field: Caption.', ['caption']],
    ['Missing required meta fields: Caption, Author.', ['caption', 'author']],
  ])('in the file of the uploader: %s', async (message, requiredMetaFields) => {
    const metaFields = [
      { id: 'caption', name: 'Caption' },
      { id: 'author', name: 'Author' },
    ];
    const target = document.body.appendChild(document.createElement('div'));
    open().uppy.setOptions({ restrictions: { requiredMetaFields } });
    uploader.uppy.use(Dashboard, { inline: true, target, metaFields });
    uploader.add([file('a.txt')]);
    await expect.poll(() => target.textContent).toContain(message);
    expect(server.requests).toEqual([]);
    target.remove();
  });

  it('Cannot add more files', async () => {
    open().uppy.setState({ allowNewUpload: false });
    expect(await told([file('a.txt')])).toBe('Cannot add more files');
  });

  it('N additional restrictions were not fulfilled', async () => {
    open();
    const text = await told(Array.from({ length: 6 }, (_, n) => file(`${n}.pdf`, 26 * MB)));
    expect(text.split('\n')).toHaveLength(5);
    expect(text).toContain('2 additional restrictions were not fulfilled');
  });
});

it('of the chat starts with what is chosen in its modal, and each file once', async () => {
  const release = server.holdBytes();
  open();
  const started: string[][] = [];
  uploader.uppy.on('upload', (_id, files) => void started.push(files.map(({ name }) => name)));
  uploader.uppy.addFiles([{ name: 'owls.txt', data: file('owls.txt') }]);
  uploader.start();
  uploader.add([file('ravens.txt')]);
  release();
  await expect.poll(() => stored).toHaveLength(2);
  expect(started).toEqual([['owls.txt'], ['ravens.txt']]);
});

it('of the library waits for its start', async () => {
  open({ purpose: 'library' }).uppy.addFiles([{ name: 'owls.txt', data: file('owls.txt') }]);
  await Promise.resolve();
  expect(states()).toEqual(['added']);
});

describe('uploads of the page before the reload', () => {
  /** An upload that was under way: file and upload as Uppy had them. */
  const interrupted = (name: string) => {
    const progress = { uploadStarted: 1, uploadComplete: false, percentage: 0, bytesUploaded: 0 };
    const data = file(name);
    const fields = { name, type: data.type, size: data.size, data, meta: { name }, progress };
    return {
      files: { [name]: { id: name, ...fields, isRestored: true } },
      uploads: { before: { fileIDs: [name], step: 0, result: {} } },
    };
  };
  const names = () => stored.map(({ name }) => name).toSorted();

  it('go on beside a file that was added while they were read', async () => {
    const release = server.holdBytes();
    open().add([file('owls.txt')]);
    await expect.poll(() => server.sent).toHaveLength(1);
    const { files, uploads: running } = interrupted('ravens.txt');
    restored.arrive(files, running);
    expect(uploads().map(({ name }) => name)).toEqual(['ravens.txt', 'owls.txt']);
    expect(toasted()).toMatchObject({
      title: 'Session restored',
      description: 'Your uploads continue.',
    });
    release();
    await expect.poll(() => names()).toEqual(['owls.txt', 'ravens.txt']);
    expect(server.sent).toHaveLength(2);
    expect(server.posted('/api/objects/attach')).toHaveLength(2);
  });

  it('leave the stored files of the draft, when all of them had ended', async () => {
    const known = { uploadId: 'known', id: 'f', name: 'owls.txt', type: 'text/plain', size: 5 };
    open({ known: [known] });
    restored.arrive({}, {});
    expect(uploader.uppy.getFiles().map(({ id }) => id)).toEqual(['known']);
  });

  it('do not begin a second time when their file was added again before', async () => {
    open().add([file('owls.txt')]);
    const { id } = uploader.uppy.getFiles()[0] ?? { id: '' };
    const { files, uploads: running } = interrupted(id);
    restored.arrive(files, running);
    await expect.poll(() => names()).toEqual(['owls.txt']);
    expect(server.sent).toHaveLength(1);
  });

  it('leave failed those that had failed', async () => {
    const { files } = interrupted('ravens.txt');
    const going = interrupted('owls.txt');
    const failed = { ...files['ravens.txt'], error: 'Request has expired' };
    open();
    restored.arrive({ ...going.files, 'ravens.txt': failed }, going.uploads);
    await expect.poll(() => names()).toEqual(['owls.txt']);
    expect(uploads()).toMatchObject([{ name: 'ravens.txt', state: 'failed' }]);
  });
});

describe('an upload', () => {
  it('goes to the signed address, and becomes a file: Files uploaded', async () => {
    open().add([file('owls.txt')]);
    await expect.poll(() => stored).toHaveLength(1);
    expect(server.sent).toMatchObject([
      { method: 'PUT', url: expect.stringContaining('store.test') },
    ]);
    expect(server.posted('/api/objects/attach')).toMatchObject([
      {
        uploadURL: expect.stringMatching(/^users\/u\/uploads\//),
        fileName: 'owls.txt',
        purpose: 'chat',
      },
    ]);
    await expect.poll(() => toasted()?.title).toBe('Files uploaded');
    expect(toasted()?.description).toContain('1 file');
    expect(uploads()).toEqual([]);
  });

  it('above the limit goes in parts of at least 5 MB', async () => {
    open().add([file('owls.bin', 21 * MB)]);
    await expect.poll(() => stored).toHaveLength(1);
    expect(server.sent).toHaveLength(5);
    expect(server.posted('/api/objects/attach')).toMatchObject([
      { uploadURL: 'users/u/uploads/parts' },
    ]);
  });

  it('goes to our own server as a form when the store is blocked', async () => {
    server.answerBytes = ({ url }) => {
      if (url.startsWith('https://store.test')) return 'no answer';
      return { status: 200, text: JSON.stringify(server.attached({ fileName: 'owls.txt' })) };
    };
    open().add([file('owls.txt')]);
    await expect.poll(() => stored).toHaveLength(1);
    const form = { method: 'POST', url: `${location.origin}/api/files?purpose=chat` };
    expect(server.sent.at(-1)).toMatchObject(form);
    const body = server.sent.at(-1)?.body;
    expect(body instanceof FormData && body.get('file')).toBeInstanceOf(File);
    expect(server.posted('/api/objects/attach')).toEqual([]);
    expect(toasted()?.variant).not.toBe('destructive');
  });

  it('waits for the connection instead of taking the form when our server does not answer either', async () => {
    let isOnline = false;
    server.answerBytes = () => (isOnline ? { status: 200, etag: '"e"' } : 'no answer');
    vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
      if (!isOnline && path.includes('health')) throw new TypeError('Failed to fetch');
      return server.fetch(path, init);
    });
    open().add([file('owls.txt')]);
    await expect.poll(() => server.sent).toHaveLength(1);
    isOnline = true;
    window.dispatchEvent(new Event('online'));
    await expect.poll(() => stored).toHaveLength(1);
    expect(server.sent.every(({ url }) => url.startsWith('https://store.test'))).toBe(true);
  });

  it('without an address: Upload error, Failed to get upload URL', async () => {
    server.refusals['POST /api/objects/upload'] = {
      status: 413,
      message: 'Too large for your plan.',
    };
    open().add([file('owls.txt')]);
    await expect.poll(() => toasted()?.title).toBe('Upload error');
    expect(toasted()?.description).toBe('Failed to get upload URL: Too large for your plan.');
    expect(uploads()).toMatchObject([{ state: 'failed', problem: 'Too large for your plan.' }]);
  });

  it('that cannot be attached: Upload error, Failed to process uploaded files; a retry attaches it without its bytes', async () => {
    server.refusals['POST /api/objects/attach'] = { status: 402, message: 'Your storage is full.' };
    open().add([file('owls.txt')]);
    await expect.poll(() => toasted()?.title).toBe('Upload error');
    expect(toasted()?.description).toBe('Failed to process uploaded files: Your storage is full.');
    expect(states()).toEqual(['failed']);
    delete server.refusals['POST /api/objects/attach'];
    void uploader.retry(uploads()[0]?.id ?? '');
    await expect.poll(() => stored).toHaveLength(1);
    expect(server.sent).toHaveLength(1);
  });

  it('that is retried: Files uploaded counts only the files that this retry has stored', async () => {
    const refusal = { status: 403, text: '<Message>Request has expired</Message>' };
    let isRefusing = true;
    server.answerBytes = ({ body }) =>
      isRefusing && body instanceof File && body.name.startsWith('ravens')
        ? refusal
        : { status: 200, etag: '"e"' };
    open().add([file('owls.txt'), file('ravens-1.txt'), file('ravens-2.txt')]);
    await expect.poll(() => states()).toEqual(['failed', 'failed']);
    await expect.poll(() => stored).toHaveLength(1);
    isRefusing = false;
    useToastStore.setState({ current: null });
    void uploader.retry(uploads()[0]?.id ?? '');
    await expect.poll(() => toasted()?.title).toBe('Files uploaded');
    expect(toasted()?.description).toBe('1 file uploaded successfully.');
    expect(states()).toEqual(['failed']);
    useToastStore.setState({ current: null });
    void uploader.retry(uploads()[0]?.id ?? '');
    await expect.poll(() => toasted()?.title).toBe('Files uploaded');
    expect(toasted()?.description).toBe('1 file uploaded successfully.');
    expect(stored).toHaveLength(3);
  });

  it('of several files that go another way shows one notice', async () => {
    server.answerBytes = ({ url, body }) => {
      if (url.startsWith('https://store.test')) return 'no answer';
      const sent = body instanceof FormData ? body.get('file') : null;
      const fileName = sent instanceof File ? sent.name : '';
      return { status: 200, text: JSON.stringify(server.attached({ fileName })) };
    };
    const told: (string | undefined)[] = [];
    const stop = useToastStore.subscribe(({ current }) => told.push(current?.description));
    open().add([file('owls.txt'), file('ravens.txt')]);
    await expect.poll(() => toasted()?.title).toBe('Files uploaded');
    stop();
    expect(told).toEqual(['2 files uploaded successfully.']);
  });

  it('that begins with others that had failed counts all of them', async () => {
    let isRefusing = true;
    server.answerBytes = () =>
      isRefusing ? { status: 403, text: 'no' } : { status: 200, etag: '"e"' };
    open().add([file('owls.txt')]);
    await expect.poll(() => states()).toEqual(['failed']);
    isRefusing = false;
    uploader.add([file('ravens.txt')]);
    await expect.poll(() => toasted()?.title).toBe('Files uploaded');
    expect(toasted()?.description).toBe('2 files uploaded successfully.');
  });

  it('that the store refuses: Failed to upload {file}, with the cause', async () => {
    server.answerBytes = () => ({ status: 403, text: '<Message>Request has expired</Message>' });
    open().add([file('owls.txt')]);
    await expect.poll(() => toasted()?.title).toBe('Failed to upload owls.txt');
    expect(toasted()?.description).toBe('Request has expired');
    expect(states()).toEqual(['failed']);
  });

  it('in parts is paused and goes on with the parts that are missing', async () => {
    const release = server.holdBytes();
    open().add([file('owls.bin', 21 * MB)]);
    await expect.poll(() => server.sent).toHaveLength(5);
    const id = uploads()[0]?.id ?? '';
    expect(uploads()[0]?.canPause).toBe(true);
    uploader.pauseOrResume(id);
    expect(states()).toEqual(['paused']);
    server.storedParts = [1, 2, 3].map((PartNumber) => ({ PartNumber, Size: 5 * MB, ETag: '"e"' }));
    release();
    uploader.pauseOrResume(id);
    await expect.poll(() => stored).toHaveLength(1);
    expect(server.sent.slice(5)).toHaveLength(2);
  });

  it('that is removed is cancelled and stays out of the draft', async () => {
    const release = server.holdBytes();
    open().add([file('owls.txt')]);
    await expect.poll(() => server.sent).toHaveLength(1);
    uploader.remove(uploads()[0]?.id ?? '');
    release();
    expect(uploader.isEmpty).toBe(true);
    expect(uploads()).toEqual([]);
    expect(stored).toEqual([]);
    expect(server.posted('/api/objects/attach')).toEqual([]);
  });
});

describe('the uploader of the library', () => {
  it('forgets a file once it is stored, so that the same file can be uploaded again', async () => {
    open({ purpose: 'library' }).add([file('owls.txt')]);
    await expect.poll(() => uploader.isEmpty).toBe(true);
    uploader.add([file('owls.txt')]);
    await expect.poll(() => stored).toHaveLength(2);
    expect(toasted()?.variant).not.toBe('destructive');
  });

  it('forgets a stored file of the page before the reload', async () => {
    open({ purpose: 'library' });
    const known = { uploadId: 'u', id: 'f', name: 'owls.txt', type: 'text/plain', size: 5 };
    restored.arrive({ u: storedFile(known) }, {});
    expect(uploader.isEmpty).toBe(true);
  });

  it('keeps it while its dialog shows it', async () => {
    open({ purpose: 'library' }).setModalOpen(true);
    uploader.add([file('owls.txt')]);
    await expect.poll(() => uploader.uppy.getFiles()[0]?.progress.complete).toBe(true);
    expect(stored).toHaveLength(1);
    expect(uploader.isEmpty).toBe(false);
    uploader.setModalOpen(false);
    expect(uploader.isEmpty).toBe(true);
  });
});
