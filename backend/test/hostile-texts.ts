/** Characters that patterns repeat. */
const SIGNS = [
  '-',
  '=',
  '*',
  '_',
  '`',
  '~',
  '|',
  '$',
  '§',
  '{',
  '[',
  '(',
  '<',
  '>',
  ' ',
  '\t',
  '\n',
  '!',
  '.',
  'a',
  'A',
  '5',
  '"',
  '&',
  '@',
  '\\',
];
/** Openings without an end, and alternating characters. */
const OPENINGS = [
  '![',
  '](',
  '![](',
  '[a](',
  '[0](#source=',
  '{{//',
  '{{user}}',
  '<START>\n',
  '<b>',
  '<h1>',
  '<!--',
  '\\[',
  '\\(',
  '$$a',
  '§ ',
  '**a ',
  '~~a ',
  '_a ',
  '`a``',
  '- ',
  '> ',
  '| ',
  ' |',
  '|-',
  '---\t',
  '~~~\r',
  '~~~\n',
  '```\n',
  '1. ',
  'A. ',
  'No. ',
  'page 1 ',
  ' 000',
  '1.',
  '\u2028',
  '\r\n',
  'e\u0301',
  'ไทย',
  '中文',
  '“',
  '[p1] ',
  '[p1, ',
];

/** Texts of at most `length` on which a careless pattern takes quadratic or cubic time. */
export function* hostileTexts(length: number): Generator<string> {
  for (const unit of [...SIGNS, ...OPENINGS]) {
    const run = unit.repeat(Math.floor((length - 1) / unit.length));
    yield run;
    yield `${run}\u0001`;
  }
  // Runs of every length, none of which ends another.
  let runs = '';
  for (let size = 1; runs.length + size < length; size += 1) runs += `${'`'.repeat(size)} `;
  yield runs;
}
