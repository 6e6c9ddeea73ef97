import type { ReplyLine } from './lines.ts';

const COLUMNS: { title: string; valueOf: (line: ReplyLine) => string | number | null }[] = [
  { title: 'date', valueOf: ({ at }) => at },
  { title: 'kind', valueOf: ({ kind }) => kind },
  // Charges from before the ledger existed belong to no attempt.
  { title: 'reply id', valueOf: ({ replyId, attempt }) => (attempt > 0 ? replyId : null) },
  { title: 'attempt', valueOf: ({ attempt }) => attempt },
  { title: 'state', valueOf: ({ state }) => state },
  { title: 'model', valueOf: ({ model }) => model },
  { title: 'prompt tokens', valueOf: ({ promptTokens }) => promptTokens },
  { title: 'cached tokens', valueOf: ({ cachedTokens }) => cachedTokens },
  { title: 'completion tokens', valueOf: ({ completionTokens }) => completionTokens },
  { title: 'reasoning tokens', valueOf: ({ reasoningTokens }) => reasoningTokens },
  {
    title: 'total tokens',
    valueOf: ({ promptTokens, completionTokens }) => promptTokens + completionTokens,
  },
  { title: 'charged tokens', valueOf: ({ tokens }) => tokens },
  { title: 'paid by workspace', valueOf: ({ workspaceId }) => workspaceId },
  { title: 'paid by owner of conversation', valueOf: ({ conversationId }) => conversationId },
];

/** Rows per chunk. */
const ROWS_PER_CHUNK = 200;

/** The lines as CSV (RFC 4180), in chunks of many rows. */
export async function* toCsv(lines: AsyncIterable<ReplyLine>): AsyncGenerator<string> {
  let rows = [rowOf(COLUMNS.map(({ title }) => title))];
  for await (const line of lines) {
    rows.push(rowOf(COLUMNS.map(({ valueOf }) => valueOf(line))));
    if (rows.length < ROWS_PER_CHUNK) continue;
    yield rows.join('');
    rows = [];
  }
  yield rows.join('');
}

const rowOf = (values: (string | number | null)[]) => `${values.map(field).join(',')}\r\n`;

/** Spreadsheets evaluate a text that begins with one of these as a formula; a quote before it prevents that. */
const FORMULA = /^[=+\-@\t\r]/;

function field(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
