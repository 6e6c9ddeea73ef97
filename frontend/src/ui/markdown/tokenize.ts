import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { grammars } from './grammars.ts';
import type { GrammarName } from './languages.ts';

/** A stretch of a line with one look; `kind` is empty for plain text, else names a class `tok-<kind>`. */
export type Run = readonly [kind: string, text: string];

const THEME = 'stolas';
/** The rest of a line that takes longer stays plain. Generous: the first line also compiles the grammar. */
const LINE_LIMIT_MS = 5000;
let highlighter: Promise<HighlighterCore> | undefined;

interface TokenizeOptions {
  code: string;
  grammar: GrammarName;
  /** What the lines before `code` left; it begins a line. */
  state?: GrammarState | undefined;
}

interface Tokenized {
  /** Joined, they are the code. No run reaches over a line ending, so that code read in pieces looks the same. */
  runs: Run[];
  /** For the lines that follow. */
  state: GrammarState;
}

/** Colours whole lines by a grammar named in languages.ts. */
export async function tokenize({ code, grammar, state }: TokenizeOptions): Promise<Tokenized> {
  highlighter ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--' })],
    langs: [],
  });
  const ready = await highlighter;
  await ready.loadLanguage(grammars[grammar]);
  const lines = ready.codeToTokensBase(code, {
    lang: grammar,
    theme: THEME,
    tokenizeTimeLimit: LINE_LIMIT_MS,
    ...(state && { grammarState: state }),
  });
  const after = ready.getLastGrammarState(lines);
  if (!after) throw new Error(`No state of ${grammar}.`);
  const runs = lines.flatMap((line, i) => {
    const ofLine: [kind: string, text: string][] = [];
    for (const { color, content } of line) append(ofLine, kindOf(color), content);
    if (i < lines.length - 1) append(ofLine, '', '\n');
    return ofLine;
  });
  return { runs, state: after };
}

/** Fewer runs, fewer elements: blank space joins whatever stands before it. */
function append(runs: [kind: string, text: string][], kind: string, text: string): void {
  const last = runs.at(-1);
  if (last && (last[0] === kind || text.trim() === '')) last[1] += text;
  else runs.push([text.trim() === '' ? '' : kind, text]);
}

function kindOf(color: string | undefined): string {
  return /^var\(--token-(.+)\)$/.exec(color ?? '')?.[1] ?? '';
}
