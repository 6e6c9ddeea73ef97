import type { DailyRun } from '../../../db/daily-runs.ts';
import type { StoredEvent } from '../events/event-model.ts';
import type { ComparisonCounts } from '../feature.ts';
import { DUPLICATE } from '../refresh.ts';

export interface PaymentsPage {
  failed: StoredEvent[];
  waiting: number;
  comparison: DailyRun<ComparisonCounts> | null;
  styleNonce: string;
  /** A sentence about the last action. */
  notice: string | null;
}

/** The operator's page of payments: failed events and the differences found by the last comparison. */
export const renderPayments = ({
  failed,
  waiting,
  comparison,
  styleNonce,
  notice,
}: PaymentsPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Payments</title>
<style nonce="${escape(styleNonce)}">${STYLE}</style>
</head>
<body>
<main>
<h1>Payments</h1>
${notice === null ? '' : `<p role="status">${escape(notice)}</p>`}
<h2>Events that failed</h2>
${failed.length === 0 ? '<p>None.</p>' : table(failed)}
<p>Events that wait for their next attempt: ${waiting}</p>
<h2>Comparison with the payment provider</h2>
${comparison === null ? '<p>There was none yet.</p>' : comparisonList(comparison)}
</main>
</body>
</html>
`;

const table = (failed: StoredEvent[]): string => `<table>
<thead><tr><th>Event</th><th>Type</th><th>Attempts</th><th>Error</th><th>Received</th><th>Last attempt</th><th></th></tr></thead>
<tbody>
${failed.map(row).join('\n')}
</tbody>
</table>`;

const row = ({ id, type, attempts, lastError, receivedAt, triedAt }: StoredEvent): string => `<tr>
<td><code>${escape(id)}</code></td>
<td>${escape(type)}</td>
<td>${attempts}</td>
<td>${escape(lastError ?? '')}</td>
<td>${time(receivedAt)}</td>
<td>${triedAt ? time(triedAt) : ''}</td>
<td><form method="post" action="/operator/payments/${encodeURIComponent(id)}/apply">
<button>${type === DUPLICATE ? 'Mark as refunded' : 'Apply again'}</button></form></td>
</tr>`;

const comparisonList = ({
  startedAt,
  finishedAt,
  compared,
  repaired,
  failed,
}: DailyRun<ComparisonCounts>) => `<dl>
<dt>Started</dt><dd>${time(startedAt)}</dd>
<dt>Finished</dt><dd>${finishedAt ? time(finishedAt) : 'It is running.'}</dd>
<dt>Compared</dt><dd>${compared}</dd>
<dt>Repaired</dt><dd>${repaired}</dd>
<dt>Failed</dt><dd>${failed}</dd>
</dl>`;

const time = (date: Date) =>
  `<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace('T', ' ')} UTC</time>`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => ENTITIES[c] ?? c);

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8884; }
dl { display: grid; grid-template-columns: max-content auto; gap: .2rem 1rem; }
dd { margin: 0; }
button { font: inherit; padding: .2rem .8rem; white-space: nowrap; }
`;
