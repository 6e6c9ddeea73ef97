import { mistakes } from './patches.mjs';

const READING = 'backend/src/reading';
const tests = (...names) => names.map((name) => `src/reading/${name}.test.ts`);

export const READING_MUTATIONS = [
  ...mistakes(
    { file: `${READING}/formats/check-zip.ts`, tests: tests('formats/check-zip', 'hostile') },
    {
      'export async function checkZip': ['~~await rejectCompoundFile(path);~~'],
      'function checkEntries': [
        ['if (~~parts > MAX_PART_BYTES~~)', 'false'],
        '~~rejectOverlaps(entries);~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${READING}/formats/pdf/page-text.ts`, tests: tests('formats/pdf/page-text') },
    {
      'export function textIndexes': [
        ['const length = ~~cleanText(character).length~~', 'character.length'],
        ['if (~~length > 0 && ~~cleaned', ''],
      ],
    },
  ),
  ...mistakes(
    { file: `${READING}/child/read.ts`, tests: tests('child/read') },
    {
      'async function sendPages': ['~~left -= page.text.length;~~'],
    },
  ),
];
