import type { HighlightAnswer, HighlightRequest } from './highlight.worker.ts';
import type { Run } from './tokenize.ts';

const waiting = new Map<number, (runs: readonly Run[] | undefined) => void>();
let worker: Worker | undefined;
let lastId = 0;
let lastBlock = 0;

/** Names a code block to the worker, which remembers how its lines so far ended. */
export function nextBlock(): number {
  lastBlock += 1;
  return lastBlock;
}

/**
 * Colours lines in a worker, so that grammars are neither loaded nor run where they could block the page. Undefined when
 * there is no grammar of the language, or it or the worker failed.
 */
export function highlightLines(
  question: Omit<HighlightRequest, 'id'>,
): Promise<readonly Run[] | undefined> {
  lastId += 1;
  const request: HighlightRequest = { id: lastId, ...question };
  worker ??= startWorker();
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
    worker?.postMessage(request);
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', (event: MessageEvent<HighlightAnswer>) => {
    waiting.get(event.data.id)?.(event.data.runs);
    waiting.delete(event.data.id);
  });
  started.addEventListener('error', () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}
