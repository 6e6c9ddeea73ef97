import { mistakes } from './patches.mjs';

const VECTORS = 'backend/src/features/files/vectors';
const UNIT = ['src/features/files/vectors/vectors.test.ts'];

export const VECTOR_MUTATIONS = [
  ...mistakes(
    { file: `${VECTORS}/file-vectors.ts`, tests: UNIT },
    {
      'export function decodeVectors': [
        ['if (~~header.fingerprint !== fingerprint~~) return null;', 'false'],
      ],
      'export function cosinesOf': [['if (~~question.length !== dimensions~~) return', 'false']],
    },
  ),
  ...mistakes(
    { file: `${VECTORS}/runner.ts`, tests: UNIT },
    {
      'const compute = async (': [
        '~~if (await vectors.find(file)) return;~~',
        '~~if (!(await find(file))) await objects.removeAll(filePrefix(file));~~',
      ],
      '  return {': [
        ['const file = ~~model === embedder.model~~ ?', 'true'],
        ["if (~~file?.state !== 'ready'~~) return;", '!file'],
      ],
    },
  ),
  ...mistakes(
    { file: `${VECTORS}/similarity.ts`, tests: UNIT },
    {
      'const vectorOf = async (': [
        '~~if (now().getTime() < restsUntil) return null;~~',
        '~~signal.throwIfAborted();~~',
      ],
      'const vectorsOf = async (': ['~~if (!found) void enqueue(file);~~'],
    },
  ),
  ...mistakes(
    {
      file: 'backend/src/features/files/retrieval/fusion.ts',
      tests: ['src/features/files/retrieval/fusion.test.ts'],
    },
    {
      'export function fuse(': [['ranked.score >= NAMED_PAGE ? ~~1~~ : 0', '0']],
    },
  ),
];
