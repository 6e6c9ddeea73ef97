import type { Citation, InsightCard } from '../../../contract/messages.ts';
import { type JsonModel, ProviderError } from '../../../llm/index.ts';
import type { ReadPage } from '../../../reading/index.ts';
import type { PostStep, PostStepInput } from '../../post-step.ts';
import { chargedAnswer, type UsageService } from '../../usage/index.ts';
import type { FileRecord } from '../library/file-record.ts';
import { comparisonsOf } from './compare.ts';
import {
  COMPARISON_TOKENS,
  Comparisons,
  comparisonPrompt,
  verifiedComparisons,
} from './found-comparisons.ts';
import { readSourceLinks, type SourceLink } from './source-links.ts';

/** Longest text of a card, in code units. */
const LONGEST_INSIGHT = 400;

/** What compares the quotations of several files, and is charged for it. */
export interface ComparingModel {
  jsonModel: Pick<JsonModel, 'answer'>;
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
}

interface SourcesStepDeps extends ComparingModel {
  findMany: (ownerId: string, ids: string[]) => Promise<FileRecord[]>;
  pagesOf: (file: FileRecord) => Promise<readonly ReadPage[]>;
  /** Whether the user's plan has cards that compare files. */
  comparesFiles: (userId: string) => Promise<boolean>;
}

/** Time for the model to compare; after it, the rules do. */
const COMPARING_MS = 15_000;

/**
 * Stores with a complete reply what its citations quote: the text of the files themselves at these places, whatever the reply says. A
 * link to a file that is not the user's, or that its conversation does not use, or to a place that the file does not have, is no
 * citation.
 */
export function createSourcesStep(deps: SourcesStepDeps): PostStep {
  const { findMany, pagesOf, comparesFiles } = deps;

  /** What the model finds and the files' text confirms; what rules find, when the model finds nothing or does not answer. */
  const compared = async (input: PostStepInput, citations: readonly Citation[]) => {
    const { ownerId, reply, run, message, signal } = input;
    const timeout = AbortSignal.timeout(COMPARING_MS);
    const answer = await chargedAnswer(deps, {
      ownerId,
      reply,
      run,
      kind: 'insights',
      name: 'file_comparisons',
      schema: Comparisons,
      messages: comparisonPrompt({ question: message.content, citations, replyId: reply.id }),
      maxTokens: COMPARISON_TOKENS,
      signal: AbortSignal.any([signal, timeout]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      // Other failures are not the model's: the step is tried again.
      if (error instanceof ProviderError || timeout.aborted) return 'no_answer' as const;
      throw error;
    });
    const found = typeof answer === 'string' ? [] : verifiedComparisons(answer.value, citations);
    return found.length > 0 ? found : comparisonsOf(citations);
  };

  return {
    name: 'sources',
    isNeeded: ({ content, metadata }) =>
      metadata?.filesReceipt !== undefined || content.includes('](#source='),
    run: async (input) => {
      const { ownerId, conversationId, reply, signal } = input;
      const links = distinct(readSourceLinks(reply.content).links);
      const ids = [...new Set(links.map(({ fileId }) => fileId))];
      const found = ids.length > 0 ? await findMany(ownerId, ids) : [];
      const used = found.filter((file) => file.conversationIds.includes(conversationId));
      const citations: Citation[] = [];
      for (const file of used) {
        signal.throwIfAborted();
        const pages = await pagesOf(file);
        for (const link of links.filter(({ fileId }) => fileId === file.id))
          citations.push(...toCitation(link, file, pages));
      }
      if (citations.length === 0) return {};
      citations.sort((a, b) => a.n - b.n);
      const cards = citations.map(toCard);
      const cited = new Set(citations.map(({ fileId }) => fileId));
      const isCompared = cited.size > 1 && (await comparesFiles(ownerId));
      const comparisons = isCompared ? await compared(input, citations) : [];
      return { citations, insightCards: [...comparisons, ...cards] };
    },
  };
}

const distinct = (links: SourceLink[]): SourceLink[] => [
  ...new Map(links.map((link) => [link.href, link])).values(),
];

function toCitation(
  { n, fileId, page, start, end }: SourceLink,
  { name: fileName, sha256 }: FileRecord,
  pages: readonly ReadPage[],
): Citation[] {
  const { text = '' } = pages.find((candidate) => candidate.n === page) ?? {};
  if (start >= end || end > text.length) return [];
  return [{ n, fileId, fileName, sha256, page, start, end, quote: text.slice(start, end) }];
}

const toCard = (citation: Citation): InsightCard => ({
  insight: beginningOf(citation.quote),
  citation,
});

/** As many whole words as fit, on one line. */
function beginningOf(quote: string): string {
  const text = quote.trim();
  if (text.length <= LONGEST_INSIGHT) return text;
  const cut = text.slice(0, LONGEST_INSIGHT);
  const words = /\s/.test(text.charAt(LONGEST_INSIGHT)) ? cut : cut.replace(/(?<!\s)\s+\S*$/, '');
  return `${words.trimEnd().replace(/[\uD800-\uDBFF]$/, '')} …`;
}
