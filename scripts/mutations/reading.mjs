import { mistakes } from './patches.mjs';

const READING = 'backend/src/reading';
const tests = (...names) => names.map((name) => `src/reading/${name}.test.ts`);

export const READING_MUTATIONS = [
  ...mistakes(
    { file: `${READING}/run-child.ts`, tests: tests('children') },
    {
      'function spawnLimited': [
        'ulimit -d ${CHILD_DATA_KB}; ~~ulimit -t ${cpuSeconds}; ulimit -f 0; ~~ulimit -c 0',
        [
          "env: ~~process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {}~~,",
          'process.env',
        ],
      ],
      'export async function runChild': [
        "~~signal?.addEventListener('abort', abort, { once: true });~~",
        "setTimeout(() => ~~stop(new UnreadableFileError('timed_out'))~~, timeoutMs)",
        'if (!last) ~~killGroup(child)~~;',
      ],
      'function killGroup': ['process.kill(~~-~~child.pid'],
    },
  ),
  ...mistakes(
    { file: `${READING}/slots.ts`, tests: tests('children') },
    {
      '': ['~~free -= 1;~~', '~~waiting.splice(waiting.indexOf(enter), 1);~~'],
    },
  ),
  ...mistakes(
    { file: `${READING}/formats/check-zip.ts`, tests: tests('formats/check-zip') },
    {
      'export async function checkZip': ['~~await rejectCompoundFile(path);~~'],
      'function checkEntries': [
        ['if (~~parts > MAX_PART_BYTES~~)', 'false'],
        '~~rejectOverlaps(entries);~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${READING}/formats/pdf/page-text.ts`, tests: tests('pictures') },
    {
      'export function textIndexes': [
        ['const length = ~~cleanText(character).length~~', 'character.length'],
        ['if (~~length > 0 && ~~cleaned', ''],
      ],
    },
  ),
  ...mistakes(
    { file: `${READING}/child/read.ts`, tests: tests('formats', 'hostile') },
    {
      'async function sendPages': ['~~left -= page.text.length;~~'],
    },
  ),
];
