import { mistakes } from './patches.mjs';

const FEATURES = 'backend/src/features';
const CITATIONS = `${FEATURES}/files/citations`;
const tests = (...names) => names.map((name) => `src/features/files/citations/${name}.test.ts`);
const GENERATION = ['src/features/chat/generation/files.test.ts'];

export const CITATION_MUTATIONS = [
  ...mistakes(
    { file: `${CITATIONS}/sources-step.ts`, tests: tests('sources-step') },
    {
      'run: async (': [
        '~~.filter((file) => file.conversationIds.includes(conversationId))~~',
        '~~citations.sort((a, b) => a.n - b.n);~~',
        'cited.size > 1~~ && (await comparesFiles(ownerId))~~',
      ],
      'function toCitation': [
        'if (~~start >= end || ~~end',
        'start >= end~~ || end > text.length~~',
      ],
      'isNeeded: (': ['~~metadata?.filesReceipt !== undefined || ~~content'],
    },
  ),

  ...mistakes(
    { file: `${CITATIONS}/marker-filter.ts`, tests: tests('marker-filter') },
    {
      'const showText': [["isAddress ? ~~' ='~~", "'='"]],
      'const showLink': ["~~${/[!\\\\]/.test(last) ? ' ' : ''}~~[${n}]"],
      'const step': [
        '~~if (isEnd && isUnfinishedMarker(held)) return held.length;~~',
        ["const opensQuote = ~~held.charAt(0) !== '\"' || !/[\\p{L}\\p{N}]/u.test(last)~~", 'true'],
      ],
    },
  ),

  ...mistakes(
    { file: `${CITATIONS}/verbatim.ts`, tests: tests('verbatim') },
    {
      'export function findVerbatim': [
        'if (~~isInsideWord(searched, at) || ~~isInsideWord',
        'isInsideWord(searched, at)~~ || isInsideWord(searched, after)~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${FEATURES}/chat/generation/call.ts`, tests: GENERATION },
    {
      'received.push(event.text);': ["~~if (filter) writer.push('text', filter.end());~~"],
      'const isUncharged =': [['estimate(prompt, ~~received~~)', '[]']],
    },
  ),
];
