import type { DepthReceipt, MessageMetadata } from '../../../contract/messages.ts';
import type { ProviderUsage } from '../../../llm/index.ts';
import type { TokenUsage } from '../messages/index.ts';
import type { CallEnd } from './call.ts';

type Used = TokenUsage & Partial<ProviderUsage>;

/** What all calls of an attempt used together: one charge. */
export async function sumUsage(ends: readonly CallEnd[]): Promise<Used> {
  const all = await Promise.all(ends.flatMap(({ usage }) => usage?.() ?? []));
  const models = all.flatMap(({ model }) => model ?? []);
  const sum: Used = {
    promptTokens: 0,
    completionTokens: 0,
    ...(models.length > 0 && { model: namesOf(models) }),
  };
  for (const used of all) {
    for (const field of FIELDS) {
      const added = used[field];
      if (added !== undefined) sum[field] = (sum[field] ?? 0) + added;
    }
  }
  return sum;
}

/** The members of a panel may be written by different models. */
const namesOf = (models: readonly string[]): string => [...new Set(models)].join(', ');

const FIELDS = ['promptTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens'] as const;

/** The metadata of a reply from those of its calls: what any of them was given, and the rest of the last one. */
export async function sumMetadata(ends: readonly CallEnd[]): Promise<Partial<MessageMetadata>> {
  const all = await Promise.all(ends.flatMap(({ given }) => given?.metadata() ?? []));
  const sum: Partial<MessageMetadata> = Object.assign({}, ...all);
  const files = all.flatMap(({ filesReceipt = [] }) => filesReceipt);
  const read = all.flatMap(({ memoryReceipt }) => memoryReceipt?.read ?? []);
  const depthReceipt = sumReceipts(ends.flatMap((end) => end.depthReceipt ?? []));
  return {
    ...sum,
    ...(sum.filesReceipt && { filesReceipt: uniqueBy(files, ({ fileId }) => fileId) }),
    ...(sum.memoryReceipt && {
      memoryReceipt: { ...sum.memoryReceipt, read: uniqueBy(read, ({ id }) => id) },
    }),
    ...(depthReceipt && { depthReceipt }),
  };
}

/** The times of several calls together. How long reasoning took is said of a single one only. */
function sumReceipts(receipts: readonly DepthReceipt[]): DepthReceipt | undefined {
  const [first, ...others] = receipts;
  if (!first || others.length === 0) return first;
  const { reasoningMs: _ofOne, ...last } = others.at(-1) ?? first;
  const total = (add: (receipt: DepthReceipt) => number | null) =>
    receipts.reduce((sum, receipt) => sum + (add(receipt) ?? 0), 0);
  const missing = receipts.flatMap(({ requestedModel }) => requestedModel ?? []);
  const isKnown = receipts.some(({ reasoningTokens }) => reasoningTokens !== null);
  return {
    ...last,
    model: namesOf(receipts.map(({ model }) => model)),
    ...(missing.length > 0 && { requestedModel: namesOf(missing) }),
    reasoningTokens: isKnown ? total(({ reasoningTokens }) => reasoningTokens) : null,
    firstTokenMs: first.firstTokenMs,
    totalMs: total(({ totalMs }) => totalMs),
  };
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}
