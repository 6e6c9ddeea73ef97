import type { UserFile } from '@stolas/backend/contract';
import { BasePlugin } from '@uppy/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UploadServer } from '../../../lib/upload-server.fixture.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import { uploadsOf } from './upload-store.ts';
import { Uploader, type UploaderOptions } from './uploader.ts';

// It needs IndexedDB, which happy-dom has not; the journeys in e2e/files.test.ts use the real one.
vi.mock('@uppy/golden-retriever', () => ({
  default: class extends BasePlugin<object, never, never> {
    override id = 'GoldenRetriever';
    override type = 'debugger';
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
  useToastStore.setState({ current: null });
});

describe('a restriction is told in the words of docs/product.md', () => {
  const told = async (files: File[]) => {
    uploader.add(files);
    await vi.waitFor(() => expect(toasted()).not.toBeNull());
    return [toasted()?.title, toasted()?.description].filter(Boolean).join('\n');
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => file(`${n}.txt`));

  it('You can only upload 10 files', async () => {
    open();
    expect(await told(many(11))).toBe('You can only upload 10 files');
    expect(uploads()).toEqual([]);
  });

  it('You can only upload 1 file', async () => {
    open({ user: { subscriptionStatus: 'guest', subscriptionPlan: null } });
    expect(await told(many(2))).toBe('You can only upload 1 file');
  });

  it.each([
    ['Pro', PRO, '25 MB', 25],
    [
      'Starter',
      { subscriptionStatus: 'active', subscriptionPlan: 'starter' } as const,
      '10 MB',
      10,
    ],
    ['a guest', { subscriptionStatus: 'guest', subscriptionPlan: null } as const, '5 MB', 5],
  ])('{file} exceeds maximum allowed size of X: for %s', async (_who, user, limit, mb) => {
    open({ user });
    const text = await told([file('owls.pdf', mb * MB + 1)]);
    expect(text).toBe(`owls.pdf exceeds maximum allowed size of ${limit}`);
    expect(server.requests).toEqual([]);
  });

  it('This file is smaller than the allowed size of 1 B', async () => {
    open();
    expect(await told([file('empty.txt', 0)])).toBe(
      'This file is smaller than the allowed size of 1 B',
    );
  });

  it("Cannot add the duplicate file '{name}', it already exists", async () => {
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(stored).toHaveLength(1));
    useToastStore.setState({ current: null });
    const text = await told([file('owls.txt')]);
    expect(text).toBe("Cannot add the duplicate file 'owls.txt', it already exists");
  });

  it("Cannot add the duplicate file '{name}', it already exists: also after a reload", async () => {
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(stored).toHaveLength(1));
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

describe('an upload', () => {
  it('goes to the signed address, and becomes a file: Files uploaded', async () => {
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(stored).toHaveLength(1));
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
    await vi.waitFor(() => expect(toasted()?.title).toBe('Files uploaded'));
    expect(toasted()?.description).toContain('1 file');
    expect(uploads()).toEqual([]);
  });

  it('above the limit goes in parts of at least 5 MB', async () => {
    open().add([file('owls.bin', 21 * MB)]);
    await vi.waitFor(() => expect(stored).toHaveLength(1));
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
    await vi.waitFor(() => expect(stored).toHaveLength(1));
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
    await vi.waitFor(() => expect(server.sent).toHaveLength(1));
    isOnline = true;
    window.dispatchEvent(new Event('online'));
    await vi.waitFor(() => expect(stored).toHaveLength(1), { timeout: 5_000 });
    expect(server.sent.every(({ url }) => url.startsWith('https://store.test'))).toBe(true);
  });

  it('without an address: Upload error, Failed to get upload URL', async () => {
    server.refusals['POST /api/objects/upload'] = {
      status: 413,
      message: 'Too large for your plan.',
    };
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(toasted()?.title).toBe('Upload error'));
    expect(toasted()?.description).toBe('Failed to get upload URL: Too large for your plan.');
    expect(uploads()).toMatchObject([{ state: 'failed', problem: 'Too large for your plan.' }]);
  });

  it('that cannot be attached: Upload error, Failed to process uploaded files; a retry attaches it without its bytes', async () => {
    server.refusals['POST /api/objects/attach'] = { status: 402, message: 'Your storage is full.' };
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(toasted()?.title).toBe('Upload error'));
    expect(toasted()?.description).toBe('Failed to process uploaded files: Your storage is full.');
    expect(states()).toEqual(['failed']);
    delete server.refusals['POST /api/objects/attach'];
    uploader.retry(uploads()[0]?.id ?? '');
    await vi.waitFor(() => expect(stored).toHaveLength(1));
    expect(server.sent).toHaveLength(1);
  });

  it('that the store refuses: Failed to upload {file}, with the cause', async () => {
    server.answerBytes = () => ({ status: 403, text: '<Message>Request has expired</Message>' });
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(toasted()?.title).toBe('Failed to upload owls.txt'));
    expect(toasted()?.description).toBe('Request has expired');
    expect(states()).toEqual(['failed']);
  });

  it('in parts is paused and goes on with the parts that are missing', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.answerBytes = async () => {
      await gate;
      return { status: 200, etag: '"e"' };
    };
    open().add([file('owls.bin', 21 * MB)]);
    await vi.waitFor(() => expect(server.sent).toHaveLength(5));
    const id = uploads()[0]?.id ?? '';
    expect(uploads()[0]?.canPause).toBe(true);
    uploader.pauseOrResume(id);
    expect(states()).toEqual(['paused']);
    server.storedParts = [1, 2, 3].map((PartNumber) => ({ PartNumber, Size: 5 * MB, ETag: '"e"' }));
    release();
    uploader.pauseOrResume(id);
    await vi.waitFor(() => expect(stored).toHaveLength(1));
    expect(server.sent.slice(5)).toHaveLength(2);
  });

  it('that is removed is cancelled and stays out of the draft', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.answerBytes = async () => {
      await gate;
      return { status: 200, etag: '"e"' };
    };
    open().add([file('owls.txt')]);
    await vi.waitFor(() => expect(server.sent).toHaveLength(1));
    uploader.remove(uploads()[0]?.id ?? '');
    release();
    expect(uploader.isEmpty).toBe(true);
    expect(uploads()).toEqual([]);
    expect(stored).toEqual([]);
    expect(server.posted('/api/objects/attach')).toEqual([]);
  });
});
