import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { type BundledLanguage, bundledLanguages } from 'shiki/langs';

/** A stretch of a line with one look; `kind` is empty for plain text, else names a class `tok-<kind>`. */
export type Run = readonly [kind: string, text: string];

const THEME = 'stolas';
/** The rest of a line that takes longer stays plain. Generous: the first line also compiles the grammar. */
const LINE_LIMIT_MS = 5000;
let highlighter: Promise<HighlighterCore> | undefined;

/** Names that shiki does not know. */
const ALIASES = new Map([
  ['ex', 'elixir'],
  ['golang', 'go'],
  ['patch', 'diff'],
  ['svg', 'xml'],
]);

const isKnown = (name: string): name is BundledLanguage => Object.hasOwn(bundledLanguages, name);

interface TokenizeOptions {
  code: string;
  /** In lower case, as authors write it after the fence. */
  language: string;
  /** What the lines before `code` left; it begins a line. */
  state?: GrammarState | undefined;
}

interface Tokenized {
  /** Joined, they are the code. No run reaches over a line ending, so that code read in pieces looks the same. */
  runs: Run[];
  /** For the lines that follow. */
  state: GrammarState;
}

/** Colours whole lines. @throws when there is no grammar of the language */
export async function tokenize({ code, language, state }: TokenizeOptions): Promise<Tokenized> {
  highlighter ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--' })],
    langs: [],
  });
  const lang = ALIASES.get(language) ?? language;
  if (!isKnown(lang)) throw new Error(`No grammar of ${language}.`);
  const ready = await highlighter;
  await ready.loadLanguage(bundledLanguages[lang]);
  const lines = ready.codeToTokensBase(code, {
    lang,
    theme: THEME,
    tokenizeTimeLimit: LINE_LIMIT_MS,
    ...(state && { grammarState: state }),
  });
  const after = ready.getLastGrammarState(lines);
  if (!after) throw new Error(`No state of ${lang}.`);
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
