import type { AttachBody, AttachedFile, UserFile } from '@stolas/backend/contract';
import { vi } from 'vitest';

export const userFile = (fields: Partial<UserFile> = {}): UserFile => ({
  id: '0'.repeat(24),
  name: 'owls.txt',
  type: 'text/plain',
  size: 5,
  sha256: '0'.repeat(64),
  kind: 'text',
  state: 'waiting',
  url: `/api/files/${fields.id ?? '0'.repeat(24)}`,
  createdAt: '2026-01-01T10:00:00.000Z',
  conversationIds: [],
  ...fields,
});

export const attachedFile = (file: UserFile): AttachedFile => ({
  id: file.id,
  bucket: 'stolas',
  key: `users/u/files/${file.id}/content`,
  filename: file.name,
  mime: file.type,
  bytes: file.size,
  objectPath: file.url,
  name: file.name,
  type: file.type,
  size: file.size,
  file,
});

interface BytesRequest {
  method: string;
  url: string;
  body: unknown;
}

type BytesAnswer = { status: number; text?: string; etag?: string } | 'no answer';

/** The object store and the upload calls of our server, at the network's edge: `XMLHttpRequest` and JSON calls. */
export class UploadServer {
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  /** The requests of `XMLHttpRequest`. */
  readonly sent: BytesRequest[] = [];
  /** How the store, and our server for forms, answer bytes. A promise that is pending keeps the upload running. */
  answerBytes: (request: BytesRequest) => BytesAnswer | Promise<BytesAnswer> = () => OK;
  /** Answers of calls, by 'METHOD /path', in place of the usual ones. */
  readonly refusals: Record<string, { status: number; message: string }> = {};
  /** Parts that the store has of an upload that is continued. */
  storedParts: { PartNumber: number; Size: number; ETag: string }[] = [];
  private files = 0;

  install(): void {
    const { request } = this;
    vi.stubGlobal(
      'XMLHttpRequest',
      class extends FakeXhr {
        protected override readonly answer = request;
      },
    );
  }

  /** The answer to a call of our server; undefined when it is not about uploads. */
  readonly answer = (method: string, path: string, body?: unknown): Response | undefined => {
    this.requests.push({ method, path, body });
    const refusal = this.refusals[`${method} ${path.replace(/\?.*/, '')}`];
    if (refusal) return json(refusal.status, { message: refusal.message, code: 'too_large' });
    switch (`${method} ${path.replace(/\?.*/, '')}`) {
      case 'GET /api/health/live':
        return json(200, { status: 'live' });
      case 'POST /api/objects/upload': {
        const key = `users/u/uploads/${this.requests.length}`;
        const uploadURL = `https://store.test/${key}?signature=s`;
        return json(200, { uploadURL, key, method: 'PUT', headers: {}, expiresIn: 600 });
      }
      case 'POST /api/objects/attach':
        return json(200, this.attached(body as AttachBody));
      case 'POST /api/s3/multipart':
        return json(200, { key: 'users/u/uploads/parts', uploadId: 'u1', bucket: 'stolas' });
      case 'GET /api/s3/multipart/u1':
        return json(200, this.storedParts);
      case 'POST /api/s3/multipart/u1/complete':
        return json(200, { location: 'https://store.test/users/u/uploads/parts' });
      case 'DELETE /api/s3/multipart/u1':
        return json(200, {});
      default: {
        const part = /^\/api\/s3\/multipart\/u1\/(\d+)/.exec(path)?.[1];
        if (!part) return undefined;
        return json(200, { url: `https://store.test/parts?partNumber=${part}&uploadId=u1` });
      }
    }
  };

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const answer = this.answer(init.method ?? 'GET', path, body);
    if (!answer) throw new Error(`The test's server has no answer for ${path}`);
    return answer;
  };

  posted(path: string): unknown[] {
    return this.requests
      .filter((request) => request.method === 'POST' && request.path === path)
      .map(({ body }) => body);
  }

  /** The server's answer for an uploaded file. */
  attached({ fileName, fileType = '', fileSize = 0 }: Partial<AttachBody>): AttachedFile {
    const id = String((this.files += 1)).padStart(24, '0');
    return attachedFile(
      userFile({ id, name: fileName ?? 'file', type: fileType, size: fileSize ?? 0 }),
    );
  }

  /** Keeps the bytes of every upload on their way. @returns a function that lets them arrive */
  holdBytes(): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.answerBytes = async () => {
      await released;
      return OK;
    };
    return release;
  }

  private readonly request = async (request: BytesRequest): Promise<BytesAnswer> => {
    this.sent.push(request);
    return this.answerBytes(request);
  };
}

const OK: BytesAnswer = { status: 200, etag: '"e"' };

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status });

/** An XMLHttpRequest as `send-bytes.ts` uses it. */
class FakeXhr extends EventTarget {
  readonly upload = new EventTarget();
  status = 0;
  responseText = '';
  responseType = '';
  protected readonly answer?: (request: BytesRequest) => Promise<BytesAnswer>;
  private etag: string | null = null;
  private method = '';
  private url = '';
  private isAborted = false;

  open(method: string, url: string): void {
    Object.assign(this, { method, url });
  }

  setRequestHeader(): void {}

  getResponseHeader = (): string | null => this.etag;

  send(body: unknown): void {
    const { method, url } = this;
    void this.receive({ method, url, body });
  }

  private async receive(request: BytesRequest): Promise<void> {
    const answer = (await this.answer?.(request)) ?? 'no answer';
    if (this.isAborted) return;
    if (answer !== 'no answer') {
      this.status = answer.status;
      this.responseText = answer.text ?? '';
      this.etag = answer.etag ?? null;
    }
    this.dispatchEvent(new Event(answer === 'no answer' ? 'error' : 'load'));
  }

  abort(): void {
    this.isAborted = true;
    this.dispatchEvent(new Event('abort'));
  }
}
