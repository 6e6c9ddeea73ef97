/** No answer came: offline, blocked, or refused by the browser because of CORS. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  constructor() {
    super('no answer');
  }
}

interface BytesRequest {
  method: string;
  url: string;
  headers?: Record<string, string> | undefined;
  body: Blob | FormData;
  signal?: AbortSignal | undefined;
  onProgress?: ((loaded: number) => void) | undefined;
}

export interface BytesAnswer {
  status: number;
  etag: string | null;
  text: string;
}

/**
 * Sends bytes and reports progress, which `fetch` cannot do.
 * @throws {NoAnswerError} without an answer · AbortError when `signal` is aborted
 */
export function sendBytes(request: BytesRequest): Promise<BytesAnswer> {
  const { method, url, headers = {}, body, signal, onProgress } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const xhr = new XMLHttpRequest();
    const onAbort = () => xhr.abort();
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.responseType = 'text';
    xhr.upload.addEventListener('progress', ({ loaded }) => onProgress?.(loaded));
    xhr.addEventListener('load', () =>
      resolve({
        status: xhr.status,
        etag: xhr.getResponseHeader('etag'),
        text: xhr.responseText,
      }),
    );
    xhr.addEventListener('error', () => reject(new NoAnswerError()));
    xhr.addEventListener('abort', () => reject(abortError(signal)));
    xhr.addEventListener('loadend', () => signal?.removeEventListener('abort', onAbort));
    signal?.addEventListener('abort', onAbort, { once: true });
    xhr.send(body);
  });
}

/** Uppy distinguishes a pause from a failure by the name and the cause. */
function abortError(signal: AbortSignal | undefined): DOMException | Error {
  const error = new Error('Aborted', { cause: signal?.reason });
  error.name = 'AbortError';
  return error;
}
