import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useToastStore } from '../toast-store.ts';
import { documents, seededRandom } from './documents.fixture.ts';
import { highlightLines } from './highlighter.ts';
import { Markdown } from './markdown.tsx';

vi.mock('./highlighter.ts', () => {
  let block = 0;
  return {
    nextBlock: () => (block += 1),
    highlightLines: vi.fn<typeof highlightLines>(async ({ lines }) =>
      (lines.match(/.*\n|.+$/g) ?? []).map((line) => ['keyword', line]),
    ),
  };
});

/** Tag, attributes and text; the order of attributes and React's numbers in the ids of footnotes mean nothing. */
function shapeOf(node: Node): unknown {
  if (!(node instanceof Element)) return node.textContent;
  const attributes = [...node.attributes].map(({ name, value }) => [
    name,
    value.replace(/_r_\w+_/, 'id'),
  ]);
  return [node.tagName, Object.fromEntries(attributes), ...[...node.childNodes].map(shapeOf)];
}

beforeEach(() => {
  vi.mocked(highlightLines).mockClear();
});

const sentLines = () => vi.mocked(highlightLines).mock.calls.map(([{ lines }]) => lines);

async function coloured(container: HTMLElement): Promise<void> {
  const plain = () => {
    const figures = container.querySelectorAll('figure:not([aria-label="Code, Text"]) code');
    const codes = [...figures].filter((code) => code.textContent);
    return codes.filter((code) => !code.querySelector('.tok-keyword'));
  };
  await expect.poll(plain).toEqual([]);
}

describe('a reply that streams', () => {
  it.each(Object.entries(documents))(
    '%s: ends up as if it had come at once',
    async (_name, text) => {
      const atOnce = render(<Markdown text={text} />);
      await coloured(atOnce.container);
      const random = seededRandom(text.length);
      const streamed = render(<Markdown text="" streaming />);
      for (let end = 0; end < text.length; end += 1 + Math.floor(random() * 20)) {
        streamed.rerender(<Markdown text={text.slice(0, end)} streaming />);
      }
      streamed.rerender(<Markdown text={text} />);
      await coloured(streamed.container);
      expect(shapeOf(streamed.container)).toEqual(shapeOf(atOnce.container));
    },
  );

  it('keeps the elements of the blocks that are finished', () => {
    const { rerender } = render(<Markdown text={'first\n\nsecond\n\nthi'} streaming />);
    const first = screen.getByText('first');
    rerender(<Markdown text={'first\n\nsecond\n\nthird **and**\n\nmore'} streaming />);
    expect(screen.getByText('first')).toBe(first);
  });

  it('colours each line of a fence once, when it is finished', async () => {
    const { container, rerender } = render(<Markdown text={'```js\nlet a'} streaming />);
    expect(container.querySelector('code')?.innerHTML).toBe('let a');
    rerender(<Markdown text={'```js\nlet a = 1;\nlet b'} streaming />);
    await expect
      .poll(() => container.querySelector('code')?.innerHTML)
      .toBe('<span class="tok-keyword">let a = 1;\n</span>let b');
    const first = container.querySelector('.tok-keyword');
    rerender(<Markdown text={'```js\nlet a = 1;\nlet b = 2;\n```\nNext'} streaming />);
    await expect.poll(() => container.querySelectorAll('.tok-keyword')).toHaveLength(2);
    expect(container.querySelector('.tok-keyword')).toBe(first);
    expect(sentLines()).toEqual(['let a = 1;\n', 'let b = 2;']);
  });

  it('colours anew when the last line of an ended text grows again', async () => {
    const text = '```js\nlet a\nlet b';
    const { container, rerender } = render(<Markdown text={text} />);
    await coloured(container);
    rerender(<Markdown text={`${text}c = 1;\n`} streaming />);
    await expect.poll(() => sentLines().at(-1)).toBe('let a\n');
    rerender(<Markdown text={`${text}c = 1;\n\`\`\``} />);
    await expect.poll(() => sentLines().at(-1)).toBe('let bc = 1;');
  });

  it('colours the finished lines of a fence inside a list', async () => {
    const text = '- a\n\n  ```js\n  let a\n  b\n  ```';
    const { container, rerender } = render(<Markdown text={text} streaming />);
    await coloured(container);
    expect(sentLines()).toEqual(['let a\n']);
    rerender(<Markdown text={text} />);
    await expect.poll(() => sentLines()).toEqual(['let a\n', 'b']);
  });

  it('shows at its end that more is expected', () => {
    const { container } = render(<Markdown text="a" streaming quiet />);
    expect(container.querySelector('.markdown[data-quiet]')).not.toBeNull();
  });
});

describe('the Markdown of a reply', () => {
  it('has lists, tasks that cannot be ticked, tables, quotes and rules', () => {
    const { container } = render(
      <Markdown text={'- [x] a\n- [ ] b\n\n|c|\n|-|\n|d|\n\n> e\n\n---\n\n1. f\n\n`g` ~~h~~'} />,
    );
    const [done, open] = screen.getAllByRole<HTMLInputElement>('checkbox');
    expect([done?.checked, done?.disabled, open?.checked, open?.disabled]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const table = screen.getByRole('group', { name: 'Table' });
    expect(within(table).getByRole('columnheader').textContent).toBe('c');
    expect(container.querySelectorAll('blockquote, hr, ol, del, p > code')).toHaveLength(5);
  });

  it('lets every block find its own direction', () => {
    render(<Markdown text={'שלום\n\nhello'} />);
    expect(screen.getByText('שלום').getAttribute('dir')).toBe('auto');
    expect(screen.getByText('hello').getAttribute('dir')).toBe('auto');
  });

  it('lets a list or a quote find one direction for all that it holds', () => {
    const { container } = render(<Markdown text={'- אחד\n\n  שתיים\n\n> שלוש'} />);
    const directed = [...container.querySelectorAll('[dir]')].map(({ tagName }) => tagName);
    expect(directed).toEqual(['UL', 'BLOCKQUOTE']);
  });

  it('breaks the line where a model writes <br>', () => {
    const { container } = render(<Markdown text={'|a|\n|-|\n|one<br>two|'} />);
    expect(container.querySelector('td')?.innerHTML).toBe('one<br>two');
  });

  it('resolves link definitions and footnotes of a finished text', () => {
    render(<Markdown text={documents['definitions'] + '\n\nx[^1]\n\n[^1]: note'} />);
    expect(screen.getByRole('link', { name: 'b' }).getAttribute('href')).toBe(
      'https://example.org',
    );
    const note = screen.getByRole('link', { name: '1' }).getAttribute('href');
    expect(document.querySelector(`[id="${note?.slice(1)}"]`)?.textContent).toContain('note');
  });

  it('keeps the footnotes of two replies apart', () => {
    render(
      <>
        <Markdown text={'x[^1]\n\n[^1]: one'} />
        <Markdown text={'x[^1]\n\n[^1]: two'} />
      </>,
    );
    const [one, two] = screen.getAllByRole('link', { name: '1' });
    expect(one?.getAttribute('href')).not.toBe(two?.getAttribute('href'));
  });
});

describe('links and images', () => {
  it('opens other sites in a new tab without referrer or opener', () => {
    render(<Markdown text="[a](https://example.org/x)" />);
    const link = screen.getByRole('link', { name: 'a' });
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(link.getAttribute('target')).toBe('_blank');
  });

  it.each(['//example.org/x', 'http://example.org', 'mailto:a@example.org'])(
    'treats %s as another site',
    (href) => {
      render(<Markdown text={`[a](${href})`} />);
      expect(screen.getByRole('link').getAttribute('rel')).toContain('noreferrer');
    },
  );

  it.each([
    ['[the rules](https://Evil.example/x)', 'evil.example'],
    ['[**the** `rules`](http://evil.example:8080)', 'evil.example:8080'],
    ['[https://good.example](https://evil.example)', 'evil.example'],
    ['[https://evil.example@good.example](https://evil.example)', 'evil.example'],
    ['[evil.example.good.example](https://evil.example)', 'evil.example'],
    ['[good.example/evil.example](https://evil.example)', 'evil.example'],
    ['[good.example](https://good.example@evil.example)', 'evil.example'],
    ['[g\u043e\u043ed.example](https://g\u043e\u043ed.example)', 'xn--gd-fmca.example'],
    ['[write](mailto:a@evil.example?body=x)', 'a@evil.example'],
    ['[![badge](https://good.example/b.svg)](https://evil.example)', 'evil.example'],
    ['![a chart](https://evil.example/c.png)', 'evil.example'],
  ])('%s names %s before the click', (text, host) => {
    render(<Markdown text={text} />);
    expect(screen.getByRole('link').dataset['host']).toBe(host);
  });

  it.each([
    'https://example.org/x?y',
    'www.example.org',
    'a@example.org',
    '[example.org](https://example.org/x)',
    '[HTTP://Example.org/x](http://example.org/y)',
    '[a](/settings)',
    '[a](#source=1)',
  ])('%s is not followed by a host, which it shows itself or does not leave', (text) => {
    render(<Markdown text={text} />);
    expect(screen.getByRole('link').dataset['host']).toBeUndefined();
  });

  it('keeps a link inside the product in this tab', () => {
    render(<Markdown text="[a](/settings)" />);
    expect(screen.getByRole('link').hasAttribute('target')).toBe(false);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#115;cript:alert(1))',
    '[x](data:text/html,hello)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml,hello)',
    '<javascript:alert(1)>',
    '[x]\n\n[x]: javascript:alert(1)',
    '[x](http://[)',
  ])('%s leads nowhere', (text) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.querySelector('a, img')).toBeNull();
  });

  it.each([
    'https://example.org/pixel.png',
    '//example.org/p',
    '/api/login',
    '/api/files/../login',
  ])('does not load the image %s, but says what it is and where', (source) => {
    const { container } = render(<Markdown text={`![a chart](${source})`} />);
    expect(container.querySelector('img')).toBeNull();
    expect(screen.getByRole('link', { name: 'a chart' }).getAttribute('href')).toBe(source);
  });

  it('loads an image that is a file of this server', () => {
    render(<Markdown text="![mine](/api/files/1/content)" />);
    expect(screen.getByRole('img', { name: 'mine' }).getAttribute('src')).toBe(
      '/api/files/1/content',
    );
  });

  it('shows an image inside a link as the text of that link', () => {
    render(<Markdown text="[![badge](https://a.example/b.svg)](https://example.org)" />);
    expect(screen.getByRole('link', { name: 'badge' }).getAttribute('href')).toBe(
      'https://example.org',
    );
  });
});

describe('markup in the text', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror="alert(1)">',
    'text <b onmouseover="alert(1)">bold</b>',
    '<iframe src="https://example.org"></iframe>',
    '<svg onload=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<style>* { display: none }</style>',
    '<form action="https://example.org"><input name=p></form>',
    '<br onclick="alert(1)">',
    '```<script>\nx\n```',
    '```"onload=alert(1)\n<script>alert(1)</script>\n```',
  ];

  it.each(hostile)('%s is shown as text, whole or half there', (text) => {
    const { container, rerender } = render(<Markdown text="" streaming />);
    for (let end = 1; end <= text.length; end += 1) {
      rerender(<Markdown text={text.slice(0, end)} streaming={end < text.length} />);
      const foreign = 'script, img, iframe, style, form, input, b, a, br, svg:not(.lucide)';
      expect(container.querySelector(foreign)).toBeNull();
      expect(container.innerHTML).not.toMatch(/<[^>]*\son\w+=/);
    }
  });
});

describe('adversarial text', () => {
  it.each([
    ['quotes', `${'>'.repeat(5000)}x`],
    ['lists in one line', `${'- '.repeat(3000)}x`],
    ['quoted lists', `${'> 1. '.repeat(2000)}x`],
    ['nested lists', Array.from({ length: 300 }, (_, i) => `${' '.repeat(2 * i)}- a`).join('\n')],
    ['emphasis', `${'*'.repeat(5000)}a${'*'.repeat(5000)}`],
    ['a giant fence', `${'`'.repeat(100_000)}\nx`],
  ])('%s: is shown, and nothing breaks', (_name, text) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.textContent).toMatch(/[ax]/);
  });
});

describe('a code block', () => {
  it('is named by its language', () => {
    render(<Markdown text={'```ts\na\n```\n\n```\nb\n```'} />);
    expect(screen.getByRole('figure', { name: 'Code, TypeScript' })).toBeDefined();
    expect(screen.getByRole('figure', { name: 'Code, Text' })).toBeDefined();
    expect(screen.getByText('TypeScript')).toBeDefined();
  });

  it('copies exactly the code and shows a check until two seconds after the last time', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    render(<Markdown text={'```ts\nconst a = `<b>`;\n\n  b();\n```'} />);
    await user.click(screen.getByRole('button', { name: 'Copy code' }));
    expect(await navigator.clipboard.readText()).toBe('const a = `<b>`;\n\n  b();');
    await act(() => vi.advanceTimersByTimeAsync(1500));
    await user.click(screen.getByRole('button', { name: 'Copied' }));
    expect(await navigator.clipboard.readText()).toContain('b();');
    await act(() => vi.advanceTimersByTimeAsync(1500));
    expect(screen.getByRole('button', { name: 'Copied' })).toBeDefined();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(screen.getByRole('button', { name: 'Copy code' })).toBeDefined();
    vi.useRealTimers();
  });

  it('shows when copying is not allowed', async () => {
    const user = userEvent.setup();
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'));
    render(<Markdown text={'```ts\na\n```'} />);
    await user.click(screen.getByRole('button', { name: 'Copy code' }));
    await expect.poll(() => useToastStore.getState().current?.title).toBe('Could not copy');
  });

  it('wraps long lines on demand', async () => {
    const { container } = render(<Markdown text={'```\na\n```'} />);
    const toggle = screen.getByRole('button', { name: 'Wrap lines' });
    await userEvent.click(toggle);
    expect(toggle.getAttribute('aria-pressed')).toBe('true');
    expect(container.querySelector('pre')?.hasAttribute('data-wrap')).toBe(true);
  });

  it.each([
    ['```js\n\n  a\n\n```', '\n  a\n'],
    ['  ```\n    a\n b\n  ```', '  a\nb'],
    ['~~~ md {1}\n```\nx\n```\n~~~', '```\nx\n```'],
    ['````\n```\n````', '```'],
    ['```js', ''],
  ])('%j holds exactly its code', (text, code) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.querySelector('code')?.textContent).toBe(code);
  });
});
