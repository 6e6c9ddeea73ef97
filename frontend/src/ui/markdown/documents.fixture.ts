/** Documents that a reply may look like, and generators of worse ones. Used by tests only. */
export const documents: Record<string, string> = {
  prose:
    '# Title\n\nA *first* paragraph\nover two lines.\n\nA second with `code` and **bold**.\n\n---\n\nEnd.',
  setext: 'Heading\n===\n\ntext\n\nSmaller\n---\ntext',
  lists:
    '- a\n- b\n\n  second paragraph\n\n- c\n  - d\n\n    deep\n\nafter\n\n1. one\n\n   ```js\n   let a = 1;\n\n   let b = 2;\n   ```\n\n2. two\n\n10) other\n',
  'unindented fence between items': '1. one\n\n```sh\nnpm ci\n\nnpm test\n```\n\n2. two\n',
  'fence indented too little': '1. one\n\n  ```sh\n  a\n\nb\n  ```\n\n2. two\n',
  tasks: '- [ ] open\n- [x] done\n\n* [ ] other list\n',
  table: 'Before\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n| `x|y` | **z** |\n\nafter',
  fences:
    'Text:\n```js\nconst a = `x`;\n\nconst b = 2;\n```\n~~~~md\n```\nnot a fence\n```\n~~~~\nmore\n\n    indented\n\n    code\n\nend',
  'open fence': 'Look\n\n```python\ndef f():\n\n    return 1\n',
  quotes: '> one\ncontinued\n\n> two\n> ```\n> code\n> ```\nnot code\n\n> - list\n\nend',
  html: '<div>\n\ntext\n\n</div>\n\n<!-- a\n\n```\n\nb -->\n\n<script>\n\nalert(1)\n\n</script>\n\nend <b onclick="x()">bold</b>',
  'fence in html': '<details>\n```js\na\n\nb\n```\n\n</details>\n\nend\n\nmore',
  definitions: 'See [a] and [b][c].\n\n[a]: /one\n[c]: https://example.org "Title"\n\nend [a]',
  footnotes: 'One[^1] and two[^n].\n\n[^1]: First.\n\n    Still first.\n\n[^n]: Second.\n\nend',
  'windows line ends': '# A\r\n\r\none\r\n\r\n- x\r\n- y\r\n\r\n```js\r\na\r\n\r\nb\r\n```\r\n',
  'right to left': '# שלום\n\nפסקה ראשונה.\n\n- אחד\n- שתיים\n\nعربي وEnglish.',
  emoji: '👩‍👩‍👧 family\n\n- 🦉 owl\n\n> 🌌',
};

const LINES = [
  '',
  '',
  '',
  '',
  'plain text',
  'more text  ',
  '    four spaces',
  '  two spaces',
  '\ttab',
  '- item',
  '- item',
  '  - nested',
  '   deeper text',
  '* star',
  '1. first',
  '2. second',
  '-     code in item',
  '# heading',
  '===',
  '---',
  '* * *',
  '> quote',
  '> - quoted item',
  '> ```',
  '```',
  '```',
  '```js',
  '  ```',
  '   ```py',
  '    ```',
  '````',
  '~~~',
  '~~~ x',
  '``` a`b',
  '- ```',
  '| a | b |',
  '|---|---|',
  '<div>',
  '</div>',
  '<b>bold</b> text',
  '<!-- open',
  'close -->',
  '<script>',
  '<?php',
  '?>',
  '<!DOCTYPE html>',
  '<![CDATA[',
  ']]>',
  '<pre>',
  '- [ ] task',
  '**bold** `code` [link](/x)',
  'https://example.org',
];

/** Lines in no order: most of them meet in ways nobody would write. */
export function lineSoup(random: () => number): string {
  const count = 2 + Math.floor(random() * 14);
  return Array.from({ length: count }, () => LINES[Math.floor(random() * LINES.length)]).join('\n');
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
