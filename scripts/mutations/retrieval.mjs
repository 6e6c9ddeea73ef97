import { mistakes } from './patches.mjs';

const RETRIEVAL = 'backend/src/features/files/retrieval';
const tests = (...names) => names.map((name) => `src/features/files/retrieval/${name}.test.ts`);
const CONTEXT = tests('files-context', 'selection');

export const RETRIEVAL_MUTATIONS = [
  ...mistakes(
    { file: `${RETRIEVAL}/files-context.ts`, tests: CONTEXT },
    {
      'function orderFiles': [
        'path~~.toReversed()~~',
        'files~~.filter((file) => file.ownerId === ownerId)~~',
      ],
      'function unreadReason': [["if (~~state !== 'ready'~~) return", 'false']],
      'function receiptOf': [["reason === ~~'whole'~~", "'search'"]],
    },
  ),
  ...mistakes(
    { file: `${RETRIEVAL}/selection.ts`, tests: CONTEXT },
    {
      'export function selectPassages': [
        ['? LEAST_FOREIGN_COVERAGE : ~~LEAST_COVERAGE~~', '0'],
        ['? LEAST_FOREIGN_COVERAGE : ~~LEAST_COVERAGE~~', '1.1'],
        ['> 0 ? ~~LEAST_FOREIGN_COVERAGE~~', 'LEAST_COVERAGE'],
        ['if (~~question.query.pages.length > 0~~)', 'false'],
        '~~ofMessage.length > 0 && ~~!question',
        'ofMessage.length > 0~~ && !question.asksForFact~~',
      ],
      "return { reason: 'similar'": [['if (~~foreign.length === 0~~)', 'true']],
      'function eachTextOnce': [['if (~~better~~) better.same', 'better && candidate.score < 0']],
      'function withEveryFile': [
        ['if (candidate.score === 0 || ~~candidate.score < mostScore * GOOD~~)', 'true'],
      ],
    },
  ),
  ...mistakes(
    { file: `${RETRIEVAL}/ranking.ts`, tests: CONTEXT },
    {
      'export function rank': [['(isNamed ? ~~NAMED_PAGE~~ : 0)', '0']],
      'function entriesOf': [['isFound = ~~exact.some((entries) => entries.length > 0)~~', 'true']],
    },
  ),
  ...mistakes(
    { file: `${RETRIEVAL}/passages.ts`, tests: tests('passages') },
    {
      'const end = start + length': [['return ~~isInsidePair(text, end)~~', 'false']],
      'export function* cutPassages': [['if (~~trimmed > covered~~)', 'true']],
      'function sentenceStarts': ["~~.replace(/(?<!\\n)\\n(?!\\n)/g, ' ')~~"],
    },
  ),
  ...mistakes(
    { file: `${RETRIEVAL}/prompt-text.ts`, tests: tests('prompt-text') },
    {
      'function delimiterToken': [['if (~~!text.includes(token)~~) return', 'true']],
      'export function inert': [
        "~~.replace(INVISIBLE, '')~~",
        "~~.replace(/\\[\\s*(p\\d+)\\s*\\]/giu, '($1)')~~",
        "~~.replaceAll('<|', '< |')~~",
      ],
    },
  ),
];
