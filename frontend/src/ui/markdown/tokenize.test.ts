import { describe, expect, it } from 'vitest';
import { languageTitle } from './language-title.ts';
import { tokenize } from './tokenize.ts';

/** What authors write after the fence. */
const LANGUAGES =
  'bash c c# c++ clojure console cpp csharp css dart diff docker dockerfile elixir ex go golang graphql haskell hcl html ini java ' +
  'javascript js json jsonc jsx kotlin latex lua make makefile markdown md nginx patch php powershell ps1 py python r rb rs ruby rust ' +
  'scala scss sh shell shellscript sql svelte svg swift terraform tex toml ts tsx typescript vue xml yaml yml zig zsh';

const joined = (runs: ReadonlyArray<readonly [string, string]>) =>
  runs.map(([, text]) => text).join('');

describe('colouring code', () => {
  it('distinguishes keywords, strings and comments', async () => {
    const { runs } = await tokenize({ code: "const a = 'x'; // why", language: 'typescript' });
    expect(runs).toContainEqual(['keyword', 'const ']);
    expect(runs).toContainEqual(['string-expression', "'x'"]);
    expect(runs).toContainEqual(['comment', '// why']);
  });

  it.each(LANGUAGES.split(' '))('%s: the runs hold every character', async (language) => {
    const code = 'a = "b" # c\n\n  <d e="f">{{ g }}</d> // h\n\tfn i(j: k) -> l { return 1.5 }\n';
    expect(joined((await tokenize({ code, language })).runs)).toBe(code);
  });

  it('colours lines that come in pieces as it colours them at once', async () => {
    const code = 'const a = `\n\n${b}\nc`; /* d\n\n e */ f();\n"""\n';
    for (const language of ['typescript', 'python', 'html'] as const) {
      const atOnce = await tokenize({ code, language });
      const runs: unknown[] = [];
      let state: typeof atOnce.state | undefined;
      for (const line of code.match(/.*\n/g) ?? []) {
        const piece = await tokenize({ code: line, language, state });
        runs.push(...piece.runs);
        ({ state } = piece);
      }
      expect(runs).toEqual(atOnce.runs);
    }
  });

  it.each(['nonsense', 'constructor', '__proto__'])('has no grammar for %j', async (language) => {
    await expect(tokenize({ code: 'a', language })).rejects.toThrow(`No grammar of ${language}.`);
  });

  it.each([
    ['ts', 'TypeScript'],
    ['C++', 'C++'],
    ['python', 'Python'],
    ['src/app.ts', 'src/app.ts'],
    ['constructor', 'Constructor'],
    ['Rust', 'Rust'],
    ['', 'Text'],
  ])('calls %j %s', (written, title) => {
    expect(languageTitle(written)).toBe(title);
  });
});
