import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';

const marked = (content: string, words: string[]) => {
  const { snippet, matches } = snippetOf(content, words);
  return matches.map(({ start, end }) => snippet.slice(start, end));
};

describe('a snippet', () => {
  it('is the text around the first match, on one line', () => {
    const text = `${'Before it. '.repeat(30)}\n\nThe needle\nis here. ${'After it. '.repeat(30)}`;
    const { snippet } = snippetOf(text, ['needle']);
    expect(snippet).toMatch(/^…\S.*The needle is here\. .*…$/);
    expect(snippet.length).toBeLessThanOrEqual(162);
  });

  it('of a short text is the whole text', () => {
    expect(snippetOf('An owl.', ['owl'])).toEqual({
      snippet: 'An owl.',
      matches: [{ start: 3, end: 6 }],
    });
  });

  it('marks every word, the last one also as a prefix', () => {
    expect(marked('Cafés and CAFÉ, café-au-lait; cat, category', ['cafe', 'cat'])).toEqual([
      'CAFÉ',
      'café',
      'cat',
      'category',
    ]);
    expect(marked('我喜欢天文望远镜。', ['望远镜'])).toEqual(['望远镜']);
  });

  it('places marks behind the ellipsis', () => {
    expect(marked(`${'x '.repeat(400)}needle`, ['needle'])).toEqual(['needle']);
  });

  it.each([
    ['# A **bold** title', 'A bold title'],
    ['- one\n- [x] two\n3. three', 'one two three'],
    ['> said `code` and ~~no~~ *yes*', 'said code and no yes'],
    ['see [the manual](https://example.org/a "T") now', 'see the manual now'],
    ['```ts\nconst a = 2 * 3;\n```\nend', 'const a = 2 * 3; end'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a b 1 2'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
  ])('has no raw Markdown: %j', (content, expected) => {
    expect(snippetOf(content, ['absent']).snippet).toBe(expected);
  });

  it('shows the syntax when only that contains the word', () => {
    const { snippet } = snippetOf('see [it](https://example.org/needle)', ['needle']);
    expect(snippet).toContain('example.org/needle');
  });

  it('cuts no character and no combination of characters', () => {
    for (const cluster of ['🦉', '👩‍👩‍👧‍👦', 'e\u0301', '🇩🇪', 'क्षि'])
      for (let shift = 0; shift < 12; shift += 1) {
        const text = `${'a'.repeat(shift)}${cluster.repeat(200)} needle ${cluster.repeat(200)}`;
        const { snippet } = snippetOf(text, ['needle']);
        const [before = '', after = ''] = snippet.replaceAll('…', '').split('needle');
        expect(before.trim().replaceAll(cluster, '')).toMatch(/^a*$/);
        expect(after.trim().replaceAll(cluster, '')).toBe('');
        expect(snippet).not.toMatch(/\p{Surrogate}/u);
      }
  });

  it('of a text without the words is its beginning', () => {
    expect(snippetOf('An owl.', ['needle'])).toEqual({ snippet: 'An owl.', matches: [] });
  });

  it('of a long message has text at both ends, and prefers text to syntax', () => {
    const line = `[a link](https://example.org/needle) and more. ${'word '.repeat(600)}\n`;
    const { snippet, matches } = snippetOf(`${line.repeat(3)}The needle. ${line}`, ['needle']);
    expect(snippet).toMatch(/^….*The needle\. a link and more\..*…$/);
    expect(matches.map(({ start, end }) => snippet.slice(start, end))).toEqual(['needle']);
    expect(snippetOf(line.repeat(3), ['needle']).snippet).toContain('example.org/needle');
  });
});
