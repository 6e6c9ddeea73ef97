import { describe, expect, it } from 'vitest';
import { grammars } from './grammars.ts';
import { type GrammarName, grammarName } from './languages.ts';
import { tokenize } from './tokenize.ts';

const joined = (runs: ReadonlyArray<readonly [string, string]>) =>
  runs.map(([, text]) => text).join('');

describe('colouring code', () => {
  it('distinguishes keywords, strings and comments', async () => {
    const runs = await tokenize("const a = 'x'; // why", 'typescript');
    expect(runs).toContainEqual(['keyword', 'const ']);
    expect(runs).toContainEqual(['string-expression', "'x'"]);
    expect(runs).toContainEqual(['comment', '// why']);
  });

  it.each(Object.keys(grammars) as GrammarName[])(
    '%s: the runs hold every character',
    async (grammar) => {
      const code = 'a = "b" # c\n\n  <d e="f">{{ g }}</d> // h\n\tfn i(j: k) -> l { return 1.5 }\n';
      expect(joined(await tokenize(code, grammar))).toBe(code);
    },
  );

  it('accepts common names of languages', () => {
    expect(grammarName('TS')).toBe('typescript');
    expect(grammarName('c++')).toBe('cpp');
    expect(grammarName('sh')).toBe('bash');
  });

  it.each(['', 'nonsense', 'constructor', '__proto__'])('has no grammar for %j', (name) => {
    expect(grammarName(name)).toBeUndefined();
  });
});
