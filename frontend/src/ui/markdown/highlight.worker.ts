import { keep } from '../../lib/keep.ts';
import { type Run, tokenize } from './tokenize.ts';

export interface HighlightRequest {
  id: number;
  /** The code block that the lines belong to. Its next lines are sent when these have been answered. */
  block: number;
  /** In lower case, as authors write it after the fence. */
  language: string;
  /** Whole lines that follow those sent before. */
  lines: string;
}

export interface HighlightAnswer {
  id: number;
  /** Missing when there is no grammar or it failed. */
  runs?: Run[];
}

type State = Awaited<ReturnType<typeof tokenize>>['state'];

/** More blocks than this do not grow at the same time. */
const MAX_STATES = 50;
const states = new Map<number, State>();

async function answer({ id, block, language, lines }: HighlightRequest): Promise<HighlightAnswer> {
  try {
    const { runs, state } = await tokenize({ code: lines, language, state: states.get(block) });
    keep(states, [block, state], MAX_STATES);
    return { id, runs };
  } catch {
    return { id };
  }
}

addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  void answer(event.data).then((message) => postMessage(message));
});
