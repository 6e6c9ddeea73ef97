import { describe, expect, it } from 'vitest';
import { makeZip } from '../../../../test/zip.ts';
import { UnreadableFileError } from '../../port.ts';
import { createFiles } from '../../reading.fixture.ts';

const { read } = createFiles();

const NAMESPACES = ['office', 'text', 'table', 'style', 'drawing', 'presentation', 'chart']
  .map(
    (name) =>
      `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  .join(' ');
const HEAD = `${NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;

const STYLES = `<text:list-style style:name="Clauses">
  <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
  <text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
  <text:list-level-style-number text:level="3" style:num-format="1" text:display-levels="3"/>
</text:list-style>`;

const HIDDEN =
  '<style:style style:name="Hidden" style:family="text"><style:text-properties text:display="none"/></style:style>';

const document = (body: string) =>
  `<office:document-content ${HEAD}><office:automatic-styles>${STYLES}${HIDDEN}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`;

const NAMES = { odt: 'text', odp: 'presentation', ods: 'spreadsheet' };

const fileOf = async (
  kind: keyof typeof NAMES,
  body: string,
  extra: Record<string, string> = {},
) => {
  const name = NAMES[kind];
  const file = await makeZip(
    {
      mimetype: `application/vnd.oasis.opendocument.${name}`,
      'content.xml': document(`<office:${name}>${body}</office:${name}>`),
      ...extra,
    },
    { stored: ['mimetype'] },
  );
  return read(`a.${kind}`, file);
};
const pagesOf = async (...document: Parameters<typeof fileOf>) =>
  (await fileOf(...document)).pages.map(({ text }) => text.trim());
const linesOf = async (body: string, extra = {}) =>
  (await pagesOf('odt', body, extra)).join('\n').split(/\n+/);

const p = (text: string) => `<text:p>${text}</text:p>`;
const list = (items: string[], attributes = 'text:style-name="Clauses"') =>
  `<text:list ${attributes}>${items.map((item) => `<text:list-item>${item}</text:list-item>`).join('')}</text:list>`;
const cell = (content: string, attributes = '') =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`;
const table = (rows: string[][]) =>
  `<table:table><table:table-column/>${rows.map((cells) => `<table:table-row>${cells.join('')}</table:table-row>`).join('')}</table:table>`;

describe('an OpenDocument text', () => {
  it('names its pictures as not read, but not the picture of an object that is read', async () => {
    const frame = (content: string) => `<text:p>Text<draw:frame>${content}</draw:frame></text:p>`;
    const image = '<draw:image xlink:href="Pictures/a.png"/>';
    const unreadOf = async (body: string) => (await fileOf('odt', body)).unread;
    expect(await unreadOf(frame(image))).toEqual([{ kind: 'image', count: 1, pages: [1] }]);
    const object = (inner: string) => `<draw:object xlink:href="./Object">${inner}</draw:object>`;
    expect(await unreadOf(frame(`${object(p('Sales'))}${image}`))).toBeUndefined();
    for (const unread of [object(''), '<draw:object-ole/>'])
      expect(await unreadOf(frame(unread + image))).toMatchObject([{ kind: 'object', count: 1 }]);
    expect(await unreadOf(`${p('Text')}<draw:path/>`)).toMatchObject([{ kind: 'image', count: 1 }]);
    // Each picture looking at all others would take minutes.
    expect(await unreadOf(frame(image.repeat(150_000)))).toHaveLength(1);
  });

  it('has the numbers of its lists, also of one that goes on after a paragraph', async () => {
    const inner = list([p('early'), `${p('late')}${list([p('very late')], '')}`], '');
    const lines = await linesOf(
      list([p('Term'), `${p('Rent')}${inner}`]) +
        p('Between') +
        list([p('Law')], 'text:style-name="Clauses" text:continue-numbering="true"') +
        list([p('Anew')]),
    );
    expect(lines).toEqual([
      '1. Term',
      '2. Rent',
      '(a) early',
      '(b) late',
      '2.b.1 very late',
      'Between',
      '3. Law',
      '1. Anew',
    ]);
  });

  it('has the numbers of its headings, by the style of the outline or as they are stored', async () => {
    const outline = `<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`;
    const heading = (level: number, text: string) =>
      `<text:h text:outline-level="${level}">${text}</text:h>`;
    const lines = await linesOf(
      heading(1, 'Parties') +
        heading(2, 'Tenant') +
        heading(1, '<text:number>7.</text:number>Costs'),
      { 'styles.xml': `<office:document-styles ${HEAD}>${outline}</office:document-styles>` },
    );
    expect(lines).toEqual(['# 1 Parties', '## 1.1 Tenant', '# 7. Costs']);
  });

  it('keeps lists and tables within the cells of a table', async () => {
    const bullets = list([p('one'), p('two')], '');
    const nested = table([[cell(p('a')), cell(p('b'))]]);
    const text = (
      await linesOf(
        table([
          [cell(p('Year'), 'table:number-columns-spanned="2"'), '<table:covered-table-cell/>'],
          [cell(bullets), cell(p('x<text:s text:c="2"/>y<text:line-break/>z'))],
        ]) + table([[cell(p('Left') + nested), cell(p('Right'))]]),
      )
    ).join('\n');
    expect(text).toContain('| Year | Year |\n| --- | --- |\n| - one - two | x y z |');
    expect(text).toMatch(/Left\n\| a \| b \|\n\| --- \| --- \|\nRight/);
  });

  it('has no text that is hidden, and cells as often as they are repeated', async () => {
    const rows = table([
      [cell(p('a'), 'table:number-columns-repeated="2"'), cell(p('b'))],
      [cell(p('1')), cell(p('2')), cell(p('3'))],
    ]);
    const hidden =
      p('One<text:span text:style-name="Hidden">secret</text:span>') +
      `<text:section text:display="none">${p('secret')}</text:section>`;
    expect(await linesOf(hidden + rows)).toEqual([
      'One',
      '| a | a | b |',
      '| --- | --- | --- |',
      '| 1 | 2 | 3 |',
    ]);
  });

  it('has its footnotes and comments at the end, and headers, but no deleted text', async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('Net of tax.')}</text:note-body></text:note>`;
    const comment = `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-01</dc:date>${p('Really?')}</office:annotation>`;
    const lines = await linesOf(
      `<text:tracked-changes><text:changed-region><text:deletion>${p('gone')}</text:deletion></text:changed-region></text:tracked-changes>${p(`Rent${note} is due.${comment}`)}`,
      {
        'styles.xml': `<office:document-styles ${HEAD}><style:master-page><style:header>${p('Draft')}</style:header></style:master-page></office:document-styles>`,
      },
    );
    expect(lines).toEqual([
      'Rent[1] is due.',
      '[1] Net of tax.',
      'Comments:',
      'Ada: Really?',
      'Header:',
      'Draft',
    ]);
  });

  it('has the numbers of its charts and the text of its formulas', async () => {
    const object = (name: string) =>
      `<text:p><draw:frame><draw:object xlink:href="./${name}"/></draw:frame></text:p>`;
    const chart = `<office:document-content ${HEAD}><office:body><office:chart><chart:chart>${table(
      [
        [cell(p('')), cell(p('Sales'))],
        [cell(p('May')), cell(p('4.3'))],
      ],
    )}</chart:chart></office:chart></office:body></office:document-content>`;
    const formula =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>c</mi><annotation encoding="StarMath 5.0">a^2 + b^2 = c^2</annotation></semantics></math>';
    const text = (
      await linesOf(object('Object 1') + object('Object 2'), {
        'Object 1/content.xml': chart,
        'Object 2/content.xml': formula,
      })
    ).join('\n');
    expect(text).toContain('| May | 4.3 |');
    expect(text).toContain('a^2 + b^2 = c^2');
  });

  it.each(['odt', 'ods', 'odp'])('with a password is encrypted: %s', async (kind) => {
    const file = await makeZip({
      'content.xml': Buffer.from([1, 2, 3, 4]),
      'META-INF/manifest.xml':
        '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    });
    await expect(read(`a.${kind}`, file)).rejects.toThrow(new UnreadableFileError('encrypted'));
  });
});

it('reads the titles, tables and notes of an OpenDocument presentation, a page for each slide', async () => {
  const box = (content: string) =>
    `<draw:frame><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const slide = (content: string) => `<draw:page>${content}</draw:page>`;
  const one = list([p('Class 1')], '');
  const pages = await pagesOf(
    'odp',
    slide(
      `${box(p('Results'))}<draw:frame>${table([[cell(one), cell(p('Class 2'))]])}</draw:frame><presentation:notes>${box(p('Speak slowly.'))}</presentation:notes>`,
    ) + slide(box(p('Outlook'))),
  );
  expect(pages).toEqual([
    'Results\n\n| Class 1 | Class 2 |\n| --- | --- |\n\nNotes:\nSpeak slowly.',
    'Outlook',
  ]);
});

it('writes the dates of an OpenDocument spreadsheet unambiguously', async () => {
  const valueOf = (type: string, value: string, text: string) =>
    cell(
      p(text),
      `office:value-type="${type}" office:${type === 'date' ? 'date-' : ''}value="${value}"`,
    );
  const cells = [
    valueOf('date', '2026-01-05T10:30:00', '05/01/26 10:30'),
    valueOf('date', '2026-01-05', '05.01.26'),
    valueOf('date', '1850-01-05', '05/01/1850'),
    valueOf('string', '', '05/01/26'),
  ];
  const extra = { 'META-INF/manifest.xml': '<manifest/>', 'styles.xml': '<styles/>' };
  expect(await pagesOf('ods', table([cells]), extra)).toEqual([
    '2026-01-05 10:30\t05.01.26\t05/01/1850\t05/01/26',
  ]);
});
