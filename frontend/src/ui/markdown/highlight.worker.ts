import type { GrammarName } from './languages.ts';
import { type Run, tokenize } from './tokenize.ts';

export interface HighlightRequest {
  id: number;
  code: string;
  grammar: GrammarName;
}

export interface HighlightAnswer {
  id: number;
  /** Missing when the grammar failed. */
  runs?: Run[];
}

addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const { id, code, grammar } = event.data;
  const answer = (message: HighlightAnswer) => postMessage(message);
  tokenize(code, grammar).then(
    (runs) => answer({ id, runs }),
    () => answer({ id }),
  );
});
