import type { Citation, InsightCard } from '../../../contract/messages.ts';
import { COMPARING_CARDS } from '../../../contract/plans.ts';
import { type JsonModel, ProviderError } from '../../../llm/index.ts';
import type { ReadPage } from '../../../reading/index.ts';
import type { PostStep, PostStepInput } from '../../post-step.ts';
import { chargedAnswer } from '../../usage/index.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, usesOf } from '../library/file-record.ts';
import { findUsable } from '../library/open.ts';
import { comparisonsOf } from './compare.ts';
import {
  COMPARISON_TOKENS,
  Comparisons,
  comparisonPrompt,
  verifiedComparisons,
} from './found-comparisons.ts';
import { readSourceLinks, type SourceLink } from './source-links.ts';

/** Maximum of a card's text, in code units. */
const MAX_INSIGHT_LENGTH = 400;

/** Timeout of the model's comparison; the rules compare after it. */
const COMPARING_MS = 15_000;

type Citing = Pick<FilesFeature, 'records' | 'texts' | 'others'>;
/** The model that compares the quotations of several files. Its usage is charged to the user. */
type ComparingModel = Pick<JsonModel, 'answer'>;

/** Stores the quoted text of a complete reply's citations. */
export const sourcesStep = (files: Citing, jsonModel: ComparingModel): PostStep => ({
  name: 'sources',
  isNeeded: ({ content, metadata }) =>
    metadata?.filesReceipt !== undefined || content.includes('](#source='),
  run: async (input) => {
    const citations = await citationsOf(files, input);
    if (citations.length === 0) return {};
    const cards = citations.map(toCard);
    const cited = new Set(citations.map(({ fileId }) => fileId));
    const isCompared = cited.size > 1 && (await comparesFiles(files, input.payer.ownerId));
    const comparisons = isCompared ? await compare(files, jsonModel, { input, citations }) : [];
    return { citations, insightCards: [...comparisons, ...cards] };
  },
});

/**
 * The citations of a reply, with the text of the files at these places. A link to a file of another user that is not shared with the owner,
 * to a file that neither the conversation nor the persona of the reply uses, or to a missing place is no citation.
 */
async function citationsOf(
  files: Citing,
  { ownerId, conversationId, reply, signal }: PostStepInput,
): Promise<Citation[]> {
  const links = distinct(readSourceLinks(reply.content).links);
  const ids = [...new Set(links.map(({ fileId }) => fileId))];
  const found = ids.length > 0 ? await findUsable(files, ownerId, ids, conversationId) : [];
  const given = new Set(reply.metadata?.filesReceipt?.map(({ fileId }) => fileId));
  const used = found.filter(
    (file) =>
      file.ownerId !== ownerId || given.has(file.id) || usesOf(file).includes(conversationId),
  );
  const citations: Citation[] = [];
  for (const file of used) {
    signal.throwIfAborted();
    const pages = await files.texts.pagesOf(file);
    for (const link of links.filter(({ fileId }) => fileId === file.id))
      citations.push(...toCitation(link, file, pages));
  }
  return citations.toSorted((a, b) => a.n - b.n);
}

/** Whether the plan that pays has cards that compare files. */
const comparesFiles = async ({ others: { billing } }: Citing, userId: string): Promise<boolean> =>
  (await billing.entitlementsOf(userId)).features.includes(COMPARING_CARDS);

/** The differences that the model found and the files confirm; the rules' differences when the model finds nothing or does not answer. */
async function compare(
  { others: { usage } }: Citing,
  jsonModel: ComparingModel,
  { input, citations }: { input: PostStepInput; citations: readonly Citation[] },
): Promise<InsightCard[]> {
  const { payer, reply, run, message, signal } = input;
  const timeout = AbortSignal.timeout(COMPARING_MS);
  const request = {
    payer,
    reply,
    run,
    kind: 'insights' as const,
    name: 'file_comparisons',
    schema: Comparisons,
    messages: comparisonPrompt({ question: message.content, citations, replyId: reply.id }),
    maxTokens: COMPARISON_TOKENS,
    signal: AbortSignal.any([signal, timeout]),
  };
  const answer = await chargedAnswer({ jsonModel, usage }, request).catch((error: unknown) => {
    signal.throwIfAborted();
    // The model did not cause other failures: the step is retried.
    if (error instanceof ProviderError || timeout.aborted) return 'no_answer' as const;
    throw error;
  });
  const found = typeof answer === 'string' ? [] : verifiedComparisons(answer.value, citations);
  return found.length > 0 ? found : comparisonsOf(citations);
}

const distinct = (links: SourceLink[]): SourceLink[] => [
  ...new Map(links.map((link) => [link.href, link])).values(),
];

function toCitation(
  { n, fileId, page, start, end }: SourceLink,
  { name: fileName, sha256 }: FileRecord,
  pages: readonly ReadPage[],
): Citation[] {
  const { text = '', label } = pages.find((candidate) => candidate.n === page) ?? {};
  if (start >= end || end > text.length) return [];
  const place = { page, ...(label !== undefined && { pageLabel: label }), start, end };
  return [{ n, fileId, fileName, sha256, ...place, quote: text.slice(start, end) }];
}

const toCard = (citation: Citation): InsightCard => ({
  insight: beginningOf(citation.quote),
  citation,
});

/** As many whole words as fit, on one line. */
function beginningOf(quote: string): string {
  const text = quote.trim();
  if (text.length <= MAX_INSIGHT_LENGTH) return text;
  const cut = text.slice(0, MAX_INSIGHT_LENGTH);
  const words = /\s/.test(text.charAt(MAX_INSIGHT_LENGTH))
    ? cut
    : cut.replace(/(?<!\s)\s+\S*$/, '');
  return `${words.trimEnd().replace(/[\uD800-\uDBFF]$/, '')} …`;
}
