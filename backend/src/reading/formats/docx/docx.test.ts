import { describe, expect, it } from 'vitest';
import { makeDocx } from '../../../../test/documents.ts';
import { createFiles } from '../../reading.fixture.ts';

const { read } = createFiles();

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const level = (n: number, format: string, text: string, more = '') =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;

const NUMBERING = `<w:numbering ${W}>
  <w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '(%3)')}${level(3, 'upperRoman', '%4.')}</w:abstractNum>
  <w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '•')}</w:abstractNum>
  <w:abstractNum w:abstractNumId="2">${level(0, 'decimal', '§ %1', '<w:pStyle w:val="Heading1"/>')}</w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
  <w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
  <w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>`;

const STYLES = `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>`;

const RELATIONS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${RELATION}/styles" Target="styles.xml"/><Relationship Id="r2" Type="${RELATION}/numbering" Target="numbering.xml"/></Relationships>`;

const paragraph = (text: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const item = (list: number, n: number, text: string) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${n}"/><w:numId w:val="${list}"/></w:numPr>`);
const heading = (text: string) => paragraph(text, '<w:pStyle w:val="Heading1"/>');

/** Relationships with the ids `r9`, `r10` and so on. */
const relationsTo = (...targets: [type: string, target: string][]) => {
  const more = targets.map(
    ([type, target], at) =>
      `<Relationship Id="r${9 + at}" Type="${RELATION}/${type}" Target="${target}"/>`,
  );
  return RELATIONS.replace('</Relationships>', `${more.join('')}</Relationships>`);
};

const documentOf = async (body: string, extra: Record<string, string> = {}) => {
  const file = await makeDocx([], {
    'word/document.xml': `<w:document ${W} ${M}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': STYLES,
    'word/numbering.xml': NUMBERING,
    'word/_rels/document.xml.rels': RELATIONS,
    ...extra,
  });
  return read('a.docx', file);
};
const textOf = async (body: string, extra?: Record<string, string>) =>
  (await documentOf(body, extra)).pages.map(({ text }) => text).join('');

describe('the numbers of a Word document', () => {
  it('are those of its clauses, also after a paragraph without a number', async () => {
    const text = await textOf(
      item(1, 0, 'Term') +
        item(1, 1, 'Start') +
        item(1, 1, 'End') +
        item(1, 2, 'early') +
        item(1, 2, 'late') +
        item(1, 3, 'very late') +
        paragraph('Spacer') +
        item(1, 0, 'Rent') +
        item(1, 1, 'Amount'),
    );
    expect(text.split(/\n+/)).toEqual([
      '1. Term',
      '1.1 Start',
      '1.2 End',
      '(a) early',
      '(b) late',
      'I. very late',
      'Spacer',
      '2. Rent',
      '2.1 Amount',
    ]);
  });

  it('begin anew where the document says so', async () => {
    const text = await textOf(item(1, 0, 'one') + item(4, 0, 'seven') + item(4, 0, 'eight'));
    expect(text.split(/\n+/)).toEqual(['1. one', '7. seven', '8. eight']);
  });

  it('are those of headings by their style', async () => {
    const text = await textOf(heading('Parties') + paragraph('Us.') + heading('Price'));
    expect(text).toContain('# § 1 Parties');
    expect(text).toContain('# § 2 Price');
  });

  it.each([
    ['each level above', '', 'a b a a a'],
    ['no level', '<w:lvlRestart w:val="0"/>', 'a b c d e'],
    ['the first level', '<w:lvlRestart w:val="1"/>', 'a b c a a'],
    ['the second level and those above', '<w:lvlRestart w:val="2"/>', 'a b a a a'],
    [
      'each level above, as one below itself is no choice',
      '<w:lvlRestart w:val="3"/>',
      'a b a a a',
    ],
  ])('begin anew after %s', async (_, restart, letters) => {
    const levels = `${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '%3', restart)}`;
    const text = await textOf(
      [0, 1, 2, 2, 1, 2, 0, 1, 2, 0, 2].map((n) => item(1, n, 'Clause')).join(''),
      {
        'word/numbering.xml': `<w:numbering ${W}><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
      },
    );
    expect(text.match(/^[a-z](?= Clause)/gm)?.join(' ')).toBe(letters);
  });

  it('leave bullets as a list', async () => {
    const text = await textOf(item(2, 0, 'owl') + item(2, 0, 'hawk'));
    expect(text).toMatch(/^- +owl\n- +hawk$/);
  });
});

it('writes formulas as LaTeX', async () => {
  const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = `<m:f><m:num>${run('a')}</m:num><m:den><m:rad><m:deg/><m:e>${run('b')}</m:e></m:rad></m:den></m:f>`;
  const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${run('i=1')}</m:sub><m:sup>${run('n')}</m:sup><m:e><m:sSup><m:e>${run('x')}</m:e><m:sup>${run('2')}</m:sup></m:sSup></m:e></m:nary>`;
  const text = await textOf(
    `<w:p><w:r><w:t>So</w:t></w:r><m:oMath>${fraction}</m:oMath></w:p><w:p><m:oMathPara><m:oMath>${sum}</m:oMath></m:oMathPara></w:p>`,
  );
  expect(text).toContain(String.raw`So $\frac{a}{\sqrt{b}}$`);
  expect(text).toContain('$∑_{i=1}^{n}{x^{2}}$');
});

it('keeps the order of formulas and text, also within a paragraph of formulas', async () => {
  const math = (text: string) => `<m:oMath><m:r><m:t>${text}</m:t></m:r></m:oMath>`;
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const text = await textOf(
    `<w:p>${run('one')}<m:oMathPara>${math('a')}${math('b')}</m:oMathPara>${run('two')}${math('c')}</w:p>`,
  );
  expect(text.replaceAll(/\s+/g, ' ')).toBe('one $a$ $b$ two $c$');
});

it('gives comments, headers and footers after the text, each line once', async () => {
  const part = (name: string, text: string) => `<w:${name} ${W}>${paragraph(text)}</w:${name}>`;
  const text = await textOf(paragraph('The text.'), {
    'word/header1.xml': part('hdr', 'Draft 3'),
    'word/header2.xml': part('hdr', 'Draft 3'),
    'word/footer1.xml': part('ftr', 'Confidential'),
    'word/comments.xml': `<w:comments ${W}><w:comment>${paragraph('Check this &amp; that')}</w:comment></w:comments>`,
    'word/_rels/document.xml.rels': relationsTo(
      ['header', 'header1.xml'],
      ['header', 'header2.xml'],
      ['footer', 'footer1.xml'],
      ['comments', 'comments.xml'],
    ),
  });
  expect(text.split(/\n+/)).toEqual([
    'The text.',
    'Comments:',
    'Check this & that',
    'Header:',
    'Draft 3',
    'Footer:',
    'Confidential',
  ]);
});

it('gives notes after the text, without links back to it', async () => {
  const text = await textOf(
    '<w:p><w:r><w:t>Rent</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
    {
      'word/footnotes.xml': `<w:footnotes ${W}><w:footnote w:id="2">${paragraph('Net of tax.')}</w:footnote></w:footnotes>`,
      'word/_rels/document.xml.rels': relationsTo(['footnotes', 'footnotes.xml']),
    },
  );
  expect(text.trim().split(/\n+/)).toEqual(['Rent[1]', '1.  Net of tax.']);
});

it('sets the columns of a header apart', async () => {
  const text = await textOf(paragraph('The text.'), {
    'word/header1.xml': `<w:hdr ${W}><w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r><w:t>Draft</w:t><w:tab/><w:t>Page 3</w:t></w:r></w:p></w:hdr>`,
    'word/_rels/document.xml.rels': relationsTo(['header', 'header1.xml']),
  });
  expect(text.split(/\n+/)).toEqual(['The text.', 'Header:', 'Draft\tPage 3']);
});

const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;

it.each([
  [
    'simple fields, as the numbers of captions are',
    `${run('Table')}<w:fldSimple w:instr="SEQ">${run('7')}</w:fldSimple>`,
    'Table7',
  ],
  [
    'text with a direction of its own',
    `<w:dir w:val="rtl">${run('one')}</w:dir><w:bdo>${run('two')}</w:bdo>`,
    'onetwo',
  ],
  [
    'other breaks',
    `${run('a')}<w:r><w:ptab/></w:r>${run('b')}<w:r><w:cr/></w:r>${run('c')}`,
    'a b c',
  ],
  [
    'the chosen entry of a list',
    '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
    'Blue',
  ],
  [
    'no hidden text',
    `${run('shown')}${run('hidden', '<w:vanish/>')}${run(' too', '<w:vanish w:val="0"/>')}`,
    'shown too',
  ],
])('reads %s', async (_, runs, expected) => {
  const text = await textOf(`<w:p>${runs}</w:p>`, {});
  expect(text.trim().replaceAll(/\s+/g, ' ')).toBe(expected);
});

it('gives the text box of a header once, as newer programs show it', async () => {
  const box = `<w:txbxContent>${paragraph('Draft 3')}</w:txbxContent>`;
  const text = await textOf(paragraph('The text.'), {
    'word/header1.xml': `<w:hdr ${W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:p><w:r><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r></w:p></w:hdr>`,
    'word/_rels/document.xml.rels': relationsTo(['header', 'header1.xml']),
  });
  expect(text.split(/\n+/)).toEqual(['The text.', 'Header:', 'Draft 3']);
});

it('gives the numbers of a chart as a table below its paragraph', async () => {
  const points = (name: string, values: string[]) =>
    `<c:${name}><c:strCache>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:strCache></c:${name}>`;
  const series = (name: string, values: string[]) =>
    `<c:ser>${points('tx', [name])}${points('cat', ['May', 'June'])}${points('val', values)}</c:ser>`;
  const chart = `<c:chartSpace><c:chart><c:title><a:t>Sales</a:t></c:title>${series('Owls', ['4.3', '2.5'])}${series('Hawks', ['1', '2'])}</c:chart></c:chartSpace>`;
  const text = await textOf(
    `${paragraph('Before')}<w:p><w:r><w:drawing><c:chart r:id="r9"/></w:drawing></w:r></w:p>${paragraph('After')}`,
    {
      'word/charts/chart1.xml': chart,
      'word/_rels/document.xml.rels': relationsTo(['chart', 'charts/chart1.xml']),
    },
  );
  expect(text.split(/\n+/)).toEqual([
    'Before',
    'Sales',
    '|  | Owls | Hawks |',
    '| --- | --- | --- |',
    '| May | 4.3 | 1 |',
    '| June | 2.5 | 2 |',
    'After',
  ]);
});

it.each([
  ['Word Online, whose parts have numbers', RELATION, '2'],
  ['the strict format', 'http://purl.oclc.org/ooxml/officeDocument/relationships', ''],
])('finds the parts of a document of %s', async (_, namespace, n) => {
  const chart =
    '<c:chartSpace><c:ser><c:val><c:pt idx="0"><c:v>4.3</c:v></c:pt></c:val></c:ser></c:chartSpace>';
  const drawing = (content: string) => `<w:p><w:r><w:drawing>${content}</w:drawing></w:r></w:p>`;
  const body = `${heading('Parties')}${item(1, 0, 'Term')}<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>${drawing('<c:chart r:id="r1"/>')}${drawing('<a:custGeom/>')}`;
  const relationship = (id: number, type: string, target: string) =>
    `<Relationship Id="r${id}" Type="${namespace}/${type}" Target="${target}"/>`;
  const relationships = (content: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`;
  const { pages, unread } = await documentOf('', {
    '_rels/.rels': relationships(relationship(1, 'officeDocument', `/word/document${n}.xml`)),
    [`word/_rels/document${n}.xml.rels`]: relationships(
      relationship(1, 'chart', 'charts/chart1.xml') +
        ['numbering', 'styles', 'comments']
          .map((type, at) => relationship(2 + at, type, `${type}${n}.xml`))
          .join(''),
    ),
    [`word/document${n}.xml`]: `<w:document ${W} ${M}><w:body>${body}</w:body></w:document>`,
    [`word/numbering${n}.xml`]: NUMBERING,
    [`word/styles${n}.xml`]: STYLES,
    [`word/comments${n}.xml`]: `<w:comments ${W}><w:comment>${paragraph('Too short')}</w:comment></w:comments>`,
    'word/charts/chart1.xml': chart,
  });
  const lines = pages.flatMap(({ text }) => text.split(/\n+/));
  for (const line of ['# § 1 Parties', '1. Term', '|  | 4.3 |', 'Comments:', 'Too short'])
    expect(lines).toContain(line);
  expect(lines.map((line) => line.trim())).toContain('$x$');
  expect(unread).toEqual([{ kind: 'image', count: 1, pages: [1] }]);
});

describe('drawings of a Word document', () => {
  const drawn = (content: string, description = '') =>
    `<w:drawing><wp:inline><wp:docPr descr="${description}"/><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></wp:inline></w:drawing>`;
  const drawing = (...drawing: Parameters<typeof drawn>) =>
    `<w:p><w:r>${drawn(...drawing)}</w:r></w:p>`;
  const box = (content: string) => `<wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx>`;
  const shape = (content: string) => `<wps:wsp>${box(content)}</wps:wsp>`;
  const fileOf = async (body: string, extra: Record<string, string> = {}) => {
    const { pages, unread } = await documentOf(
      `${paragraph('Before')}${body}${paragraph('After')}`,
      extra,
    );
    return { lines: pages.flatMap(({ text }) => text.split(/\n+/)), unread };
  };

  it('have their text below the paragraph, once, in order, with tables and inner boxes', async () => {
    const table = `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr></w:tbl>`;
    const inner = paragraph('Inner') + drawing(shape(paragraph('Innermost')));
    const { lines, unread } = await fileOf(
      `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps">${drawn(shape(paragraph('One')))}${drawn(shape(inner + table))}</mc:Choice><mc:Fallback><w:pict><v:oval><v:textbox><w:txbxContent>${paragraph('One')}</w:txbxContent></v:textbox></v:oval></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:pict><v:oval><v:textbox><w:txbxContent>${paragraph('Oval')}</w:txbxContent></v:textbox></v:oval></w:pict></w:r></w:p>`,
    );
    expect(lines.join(';')).toBe('Before;One;Inner;| a | b |;| --- | --- |;Innermost;Oval;After');
    expect(unread).toBeUndefined();
  });

  it('have the texts of a diagram', async () => {
    const point = (text: string) =>
      `<dgm:pt><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const extra = {
      'word/diagrams/data1.xml': `<dgm:dataModel>${point('Plan')}${point('Build')}</dgm:dataModel>`,
      'word/_rels/document.xml.rels': relationsTo(['diagramData', 'diagrams/data1.xml']),
    };
    const { lines, unread } = await fileOf(drawing('<dgm:relIds r:dm="r9"/>'), extra);
    expect(lines).toEqual(['Before', 'Plan', 'Build', 'After']);
    expect(unread).toBeUndefined();
  });

  it.each([
    ['a chart without stored numbers', drawing('<c:chart r:id="r9"/>', 'Sales'), 'object'],
    ['a diagram without its part', drawing('<dgm:relIds r:dm="r9"/>', 'Sales'), 'object'],
    ['a drawing', drawing('<wps:wsp><a:custGeom/></wps:wsp>', 'Sales'), 'image'],
    ['a group of pictures', drawing('<wpg:wgp><pic:pic/></wpg:wgp>', 'Sales'), 'image'],
  ])('give the description of %s, which is named as not read', async (_, body, kind) => {
    const { lines, unread } = await fileOf(body);
    expect(lines).toEqual(['Before', 'Sales', 'After']);
    expect(unread).toEqual([{ kind, count: 1, pages: [1] }]);
  });

  it('name a document within the document', async () => {
    const { unread } = await fileOf('<w:altChunk r:id="r9"/>');
    expect(unread).toEqual([{ kind: 'object', count: 1, pages: [1] }]);
  });

  it('name an embedded object, whose picture is no picture of the document', async () => {
    const { lines, unread } = await fileOf(
      '<w:p><w:r><w:object><v:shape><v:imagedata r:id="r9"/></v:shape><o:OLEObject ProgID="Equation.3"/></w:object></w:r></w:p>',
    );
    expect(lines).toEqual(['Before', 'After']);
    expect(unread).toEqual([{ kind: 'object', count: 1, pages: [1] }]);
  });

  it('say nothing of a box or a line without text', async () => {
    const { unread } = await fileOf(drawing('<wps:wsp><a:prstGeom prst="line"/></wps:wsp>'));
    expect(unread).toBeUndefined();
  });

  it('are read in linear time', async () => {
    const many = `<w:p>${`<w:r><w:pict>${'<v:textbox><w:txbxContent><w:p/></w:txbxContent></v:textbox>'.repeat(2)}</w:pict></w:r>`.repeat(5_000)}</w:p>`;
    expect((await fileOf(many + paragraph('x').repeat(5_000))).lines).toContain('After');
  });
});

it('gives the readings above words in brackets', async () => {
  const run = (name: string, text: string) =>
    `<w:${name}><w:r><w:t>${text}</w:t></w:r></w:${name}>`;
  const text = await textOf(
    `<w:p><w:r><w:ruby>${run('rt', 'とうきょう')}${run('rubyBase', '東京')}</w:ruby></w:r></w:p>`,
  );
  expect(text).toBe('東京 (とうきょう)');
});
