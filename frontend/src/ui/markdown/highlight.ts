import type { HighlightAnswer, HighlightRequest } from './highlight.worker.ts';
import { type GrammarName, grammarName } from './languages.ts';
import type { Run } from './tokenize.ts';

/** Longer code stays plain: colouring it would cost more elements than it helps the reader. */
const MAX_CODE = 20_000;
/** Blocks that stay coloured without asking again, so that scrolling back does not flash. */
const MAX_KEPT = 100;

const kept = new Map<string, readonly Run[]>();
const waiting = new Map<number, (runs: readonly Run[] | undefined) => void>();
let worker: Worker | undefined;
let lastId = 0;

/** Runs that are at hand already. */
export function highlighted(code: string, language: string): readonly Run[] | undefined {
  return kept.get(keyOf(code, language));
}

/**
 * Colours code in a worker, so that grammars are neither loaded nor run where they could block the page. Undefined when
 * the language is unknown, the code is longer than 20,000 characters or the worker failed.
 */
export async function highlight(
  code: string,
  language: string,
): Promise<readonly Run[] | undefined> {
  const grammar = grammarName(language);
  if (!grammar || code === '' || code.length > MAX_CODE) return undefined;
  const runs = highlighted(code, language) ?? (await ask({ code, grammar }));
  if (runs) keep(keyOf(code, language), runs);
  return runs;
}

function ask(question: {
  code: string;
  grammar: GrammarName;
}): Promise<readonly Run[] | undefined> {
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

function keep(key: string, runs: readonly Run[]): void {
  kept.delete(key);
  kept.set(key, runs);
  const oldest = kept.keys().next();
  if (kept.size > MAX_KEPT && !oldest.done) kept.delete(oldest.value);
}

function keyOf(code: string, language: string): string {
  return `${language.toLowerCase()}\n${code}`;
}
