import { BasePlugin } from '@uppy/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeUploader, openUploader, resumeUploader } from './open-uploader.ts';

// The plugin needs IndexedDB, which happy-dom lacks; e2e/files.test.ts uses the real one.
vi.mock('@uppy/golden-retriever', () => ({
  default: class extends BasePlugin<object, never, never> {
    override id = 'GoldenRetriever';
    override type = 'debugger';
  },
}));

type Work = (lock: object | null) => unknown;

/** The locks of a browser, which its tabs share. */
class Locks {
  private readonly held = new Map<string, Promise<unknown>>();

  request = async (name: string, { ifAvailable }: { ifAvailable: boolean }, work: Work) => {
    if (ifAvailable && this.held.has(name)) return work(null);
    while (this.held.has(name)) await this.held.get(name);
    const working = Promise.resolve(work({}));
    this.held.set(name, working);
    const answer = await working;
    this.held.delete(name);
    return answer;
  };

  /** @returns a function by which the other tab ends */
  holdInAnotherTab(name: string): () => void {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    void this.request(name, { ifAvailable: false }, () => held);
    return end;
  }
}

const PRO = { subscriptionStatus: 'active', subscriptionPlan: 'pro' } as const;
const open = () =>
  openUploader({ id: 'draft', purpose: 'chat', user: PRO, onStored: () => undefined });
const storeUnfinished = () =>
  localStorage.setItem('uppyState:draft', JSON.stringify({ metadata: { files: { f: {} } } }));

let locks: Locks;

beforeEach(() => {
  locks = new Locks();
  Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
});

afterEach(() => {
  closeUploader('draft');
  Reflect.deleteProperty(navigator, 'locks');
});

it('resumes uploads that another tab has begun only when that tab has ended', async () => {
  storeUnfinished();
  const end = locks.holdInAnotherTab('uploader:draft');
  const steps: string[] = [];
  const resuming = resumeUploader('draft', async () => steps.push('resumed'));
  steps.push('the other tab ends');
  end();
  await resuming;
  expect(steps).toEqual(['the other tab ends', 'resumed']);
});

it('resumes no uploads that the other tab has finished', async () => {
  storeUnfinished();
  const end = locks.holdInAnotherTab('uploader:draft');
  const resume = vi.fn<() => undefined>();
  const resuming = resumeUploader('draft', resume);
  localStorage.removeItem('uppyState:draft');
  end();
  await resuming;
  expect(resume).not.toHaveBeenCalled();
});

it('keeps the files of two tabs apart', async () => {
  const end = locks.holdInAnotherTab('uploader:draft');
  expect((await open()).uppy.getID()).not.toBe('draft');
  closeUploader('draft');
  end();
  const { uppy } = await open();
  expect(uppy.getID()).toBe('draft');
});

it('is free for other tabs when it is closed', async () => {
  await open();
  closeUploader('draft');
  const given = await locks.request('uploader:draft', { ifAvailable: false }, (lock) => lock);
  expect(given).not.toBeNull();
});
