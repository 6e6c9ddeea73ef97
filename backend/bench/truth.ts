/**
 * Benchmark `truth`: the agreement of the check of replies with labels. `npm run bench -- truth --data <folder> [--judge yes | labels]`:
 * JSON Lines of `{"claim", "source", "label", "evidence"}` in files *.jsonl (docs/performance.md). It calls the model of OPENAI_BASE_URL,
 * OPENAI_API_KEY and OPENAI_MODEL, unless the judge needs none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  confirm,
  decide,
  type Judgement,
  type SourcePassage,
} from '../src/features/claims/gates.ts';
import { JUDGE_TOKENS, judgementsOf, judgePrompt, Verdicts } from '../src/features/claims/judge.ts';
import { cutPassages } from '../src/features/files/retrieval/passages.ts';
import { createOpenAiJsonModel } from '../src/llm/index.ts';
import { printTable, printTitle } from './lib/report.ts';

const Line = z.object({
  claim: z.string().min(1),
  source: z.string().min(1),
  /** Sentences of the source that decide it; a judge without a model quotes only these. */
  evidence: z.array(z.string().min(1)).optional(),
  /** Whether the source supports the claim. */
  label: z.union([
    z.boolean(),
    z.literal([0, 1]).transform((label) => label === 1),
    z.enum(['supported', 'unsupported']).transform((label) => label === 'supported'),
  ]),
});
type Line = z.infer<typeof Line>;

type Judge = (line: Line, passages: readonly SourcePassage[]) => Promise<Judgement | undefined>;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    limit: { type: 'string', default: '1000' },
    judge: { type: 'string', default: 'model' },
  },
});
const { data: folder, limit, judge: judgeName } = values;
if (!folder)
  throw new Error(
    'Usage: npm run bench -- truth --data <folder> [--judge yes | labels] [--limit <lines of each file>]',
  );

const readLines = (name: string): Line[] =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, Number(limit))
    .map((line) => Line.parse(JSON.parse(line)));

/** The source in the passages of a file, whatever its length. */
const passagesOf = ({ source }: Line): SourcePassage[] =>
  Array.from(cutPassages([{ n: 1, text: source }]), ({ start, end }, at) => ({
    id: `p${at + 1}`,
    label: 'a source',
    text: source.slice(start, end),
    source: { kind: 'message', messageId: 'source', start, end },
  }));

/** Quotes the evidence of the line, else all of its source. */
function quotationsOf({ evidence }: Line, passages: readonly SourcePassage[]) {
  return passages.flatMap(({ id: passageId, text }) =>
    (evidence?.filter((quote) => text.includes(quote)) ?? [text]).map((quote) => ({
      passageId,
      quote,
    })),
  );
}

/** Calls every claim supported: what remains refused is what the rules refuse. */
const yesSayingJudge: Judge = async (line, passages) => ({
  relation: 'supports',
  evidence: quotationsOf(line, passages),
});

/** Knows the labels: the supported claims that are lost are those that the rules refuse. */
const labelJudge: Judge = async (line, passages) =>
  line.label ? yesSayingJudge(line, passages) : { relation: 'insufficient', evidence: [] };

function modelJudge(isSecond: boolean): Judge {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env;
  if (!OPENAI_API_KEY || !OPENAI_MODEL)
    throw new Error(
      'Set OPENAI_API_KEY and OPENAI_MODEL, or choose --judge yes or --judge labels.',
    );
  const jsonModel = createOpenAiJsonModel({
    baseUrl: OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
    apiKey: OPENAI_API_KEY,
    model: OPENAI_MODEL,
    timeoutMs: 60_000,
  });
  return async ({ claim }, passages) => {
    const { value } = await jsonModel.answer({
      name: 'claim_verdicts',
      schema: Verdicts,
      messages: judgePrompt({
        claims: [{ id: 'c1', text: claim }],
        passages,
        replyId: 'bench',
        isSecond,
      }),
      maxTokens: JUDGE_TOKENS,
      signal: AbortSignal.timeout(120_000),
    });
    return judgementsOf(value).get('c1');
  };
}

const JUDGES: Record<string, () => [first: Judge, second: Judge]> = {
  model: () => [modelJudge(false), modelJudge(true)],
  yes: () => [yesSayingJudge, yesSayingJudge],
  labels: () => [labelJudge, labelJudge],
};
const judges = JUDGES[judgeName]?.();
if (!judges) throw new Error(`--judge is one of ${Object.keys(JUDGES).join(', ')}.`);
const [judge, judgeAgain] = judges;

/** Whether the product would show the claim as supported. */
async function isShownAsSupported(line: Line): Promise<boolean> {
  const passages = passagesOf(line);
  const first = await decide(line.claim, await judge(line, passages), passages);
  const last = first.isPending
    ? await confirm(first, await judgeAgain(line, passages), passages)
    : first;
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
const named = judgeName === 'model' ? `model ${process.env['OPENAI_MODEL']}` : judgeName;
printTitle(`truth: judge ${named}`);
printTable(
  ['file', 'claims', 'without answer', 'supported found', 'unsupported found', 'balanced accuracy'],
  rows,
);
