import { describe, expect, it } from 'vitest';
import { grammars } from './grammars.ts';
import { type GrammarName, grammarName, languageTitle } from './languages.ts';
import { tokenize } from './tokenize.ts';

const joined = (runs: ReadonlyArray<readonly [string, string]>) =>
  runs.map(([, text]) => text).join('');

describe('colouring code', () => {
  it('distinguishes keywords, strings and comments', async () => {
    const { runs } = await tokenize({ code: "const a = 'x'; // why", grammar: 'typescript' });
    expect(runs).toContainEqual(['keyword', 'const ']);
    expect(runs).toContainEqual(['string-expression', "'x'"]);
    expect(runs).toContainEqual(['comment', '// why']);
  });

  it.each(Object.keys(grammars) as GrammarName[])(
    '%s: the runs hold every character',
    async (grammar) => {
      const code = 'a = "b" # c\n\n  <d e="f">{{ g }}</d> // h\n\tfn i(j: k) -> l { return 1.5 }\n';
      expect(joined((await tokenize({ code, grammar })).runs)).toBe(code);
    },
  );

  it('colours lines that come in pieces as it colours them at once', async () => {
    const code = 'const a = `\n\n${b}\nc`; /* d\n\n e */ f();\n"""\n';
    for (const grammar of ['typescript', 'python', 'html'] as const) {
      const atOnce = await tokenize({ code, grammar });
      const runs: unknown[] = [];
      let state: typeof atOnce.state | undefined;
      for (const line of code.match(/.*\n/g) ?? []) {
        const piece = await tokenize({ code: line, grammar, state });
        runs.push(...piece.runs);
        ({ state } = piece);
      }
      expect(runs).toEqual(atOnce.runs);
    }
  });

  it('accepts common names of languages', () => {
    expect(grammarName('TS')).toBe('typescript');
    expect(grammarName('c++')).toBe('cpp');
    expect(grammarName('sh')).toBe('bash');
  });

  it.each(['', 'nonsense', 'constructor', '__proto__'])('has no grammar for %j', (name) => {
    expect(grammarName(name)).toBeUndefined();
  });

  it.each([
    ['ts', 'TypeScript'],
    ['Rust', 'Rust'],
    ['', 'Text'],
    ['brainfuck', 'brainfuck'],
  ])('calls %j %s', (written, title) => {
    expect(languageTitle(written)).toBe(title);
  });
});
