import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { grammars } from './grammars.ts';
import type { GrammarName } from './languages.ts';

/** A stretch of code with one look; `kind` is empty for plain text, else names a class `tok-<kind>`. */
export type Run = readonly [kind: string, text: string];

const THEME = 'stolas';
/** The rest of a line that takes longer stays plain. Generous: the first line also compiles the grammar. */
const LINE_LIMIT_MS = 5000;
let highlighter: Promise<HighlighterCore> | undefined;

/** Colours `code` by a grammar named in languages.ts. The runs, joined, are the code. */
export async function tokenize(code: string, grammar: GrammarName): Promise<Run[]> {
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
  });
  const runs: [kind: string, text: string][] = [];
  lines.forEach((line, i) => {
    if (i > 0) append(runs, '', '\n');
    for (const token of line) append(runs, kindOf(token.color), token.content);
  });
  return runs;
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
