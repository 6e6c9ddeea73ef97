/**
 * Benchmark `truth`: the agreement of the check of replies with labels. `npm run bench -- truth --data <folder>`: JSON Lines of `{"claim",
 * "source", "label"}` in files *.jsonl (docs/performance.md). It calls the model of OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { confirm, decide, type SourcePassage } from '../src/features/claims/gates.ts';
import { JUDGE_TOKENS, judgementsOf, judgePrompt, Verdicts } from '../src/features/claims/judge.ts';
import { createOpenAiJsonModel } from '../src/llm/index.ts';
import { describeMachine, printTable } from './lib/report.ts';

const Line = z.object({
  claim: z.string().min(1),
  source: z.string().min(1),
  /** Whether the source supports the claim. */
  label: z.union([
    z.boolean(),
    z.literal([0, 1]).transform((label) => label === 1),
    z.enum(['supported', 'unsupported']).transform((label) => label === 'supported'),
  ]),
});
type Line = z.infer<typeof Line>;

const { values } = parseArgs({
  options: { data: { type: 'string' }, limit: { type: 'string', default: '1000' } },
});
const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env;
if (!values.data || !OPENAI_API_KEY || !OPENAI_MODEL)
  throw new Error(
    'Usage: OPENAI_API_KEY=… OPENAI_MODEL=… npm run bench -- truth --data <folder> [--limit <lines of each file>]',
  );
const { data: folder, limit } = values;
const jsonModel = createOpenAiJsonModel({
  baseUrl: OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
  apiKey: OPENAI_API_KEY,
  model: OPENAI_MODEL,
  timeoutMs: 60_000,
});

const readLines = (name: string): Line[] =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, Number(limit))
    .map((line) => Line.parse(JSON.parse(line)));

async function judge(line: Line, isSecond: boolean) {
  const passages = passagesOf(line);
  const { value } = await jsonModel.answer({
    name: 'claim_verdicts',
    schema: Verdicts,
    messages: judgePrompt({
      claims: [{ id: 'c1', text: line.claim }],
      passages,
      replyId: 'bench',
      isSecond,
    }),
    maxTokens: JUDGE_TOKENS,
    signal: AbortSignal.timeout(120_000),
  });
  return judgementsOf(value).get('c1');
}

const passagesOf = ({ source: text }: Line): SourcePassage[] => [
  {
    id: 'p1',
    label: 'a source',
    text,
    source: { kind: 'message', messageId: 'source', start: 0, end: text.length },
  },
];

/** Whether the product would show the claim as supported. */
async function isShownAsSupported(line: Line): Promise<boolean> {
  const first = decide(line.claim, await judge(line, false), passagesOf(line));
  const last = first.isPending ? confirm(first, await judge(line, true), passagesOf(line)) : first;
  return last.verdict === 'supported';
}

const share = (found: number, all: number) => (all === 0 ? Number.NaN : found / all);
const percent = (number: number) => (Number.isNaN(number) ? '–' : `${(100 * number).toFixed(1)}%`);

const rows: string[][] = [];
for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.jsonl'))) {
  const counts = { supported: 0, found: 0, unsupported: 0, refused: 0, failed: 0 };
  for (const line of readLines(name)) {
    const shown = await isShownAsSupported(line).catch(() => undefined);
    if (shown === undefined) counts.failed += 1;
    else if (line.label) {
      counts.supported += 1;
      if (shown) counts.found += 1;
    } else {
      counts.unsupported += 1;
      if (!shown) counts.refused += 1;
    }
  }
  const [sensitivity, specificity] = [
    share(counts.found, counts.supported),
    share(counts.refused, counts.unsupported),
  ];
  rows.push([
    name,
    String(counts.supported + counts.unsupported),
    String(counts.failed),
    percent(sensitivity),
    percent(specificity),
    percent((sensitivity + specificity) / 2),
  ]);
}
console.log(`${describeMachine()}\nModel: ${OPENAI_MODEL}\n`);
printTable(
  ['file', 'claims', 'without answer', 'supported found', 'unsupported found', 'balanced accuracy'],
  rows,
);
