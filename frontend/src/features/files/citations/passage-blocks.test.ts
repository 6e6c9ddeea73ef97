import { expect, it } from 'vitest';
import { passageBlocks } from './passage-blocks.ts';

it.each([
  [
    'lines of prose',
    'Ada Marsh will lead the\nproject.',
    [{ text: 'Ada Marsh will lead the project.' }],
  ],
  ['a hyphen at the end of a line', 'a well-\r\nknown dome', [{ text: 'a well-known dome' }]],
  ['paragraphs', 'One\nline.\n\nAnother.', [{ text: 'One line.' }, { text: 'Another.' }]],
  [
    'list items',
    'Open:\n- Monday\n- Friday\n  night',
    [{ text: 'Open:' }, { text: '- Monday' }, { text: '- Friday night' }],
  ],
  [
    'a table with tabs',
    'Item\t2024\nVisits\t9',
    [
      {
        rows: [
          ['Item', '2024'],
          ['Visits', '9'],
        ],
      },
    ],
  ],
  [
    'a table of a PDF',
    'In euros.\nItem 2024 2025\nTicket sales 812,000 935,000\nGrants −3.5% 12%\nAll is well.',
    [
      { text: 'In euros.' },
      {
        rows: [
          ['Item', '2024', '2025'],
          ['Ticket sales', '812,000', '935,000'],
          ['Grants', '−3.5%', '12%'],
        ],
      },
      { text: 'All is well.' },
    ],
  ],
  [
    'one line with numbers',
    'It opened in 1954 1955\nand closed.',
    [{ text: 'It opened in 1954 1955 and closed.' }],
  ],
])('reads %s', (_name, passage, blocks) => {
  expect(passageBlocks(passage)).toEqual(blocks);
});
