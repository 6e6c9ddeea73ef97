import type { DeletionReceipt, HandedOver } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { ReceiptPage } from './receipt-page.tsx';

const ID = 'a'.repeat(48);
const RECEIPT: DeletionReceipt = {
  id: ID,
  state: 'done',
  requestedAt: '2026-11-22T10:00:00.000Z',
  finishedAt: '2026-11-22T10:02:00.000Z',
  expiresAt: '2026-12-22T10:02:00.000Z',
  stores: [{ store: 'chat', found: 12, left: 0 }],
};

async function open(fields: Partial<DeletionReceipt>) {
  fakeServer({ [`GET /api/deletions/${ID}`]: { body: { ...RECEIPT, ...fields } } });
  render(
    <QueryClientProvider client={queryClient}>
      <ReceiptPage id={ID} />
    </QueryClientProvider>,
  );
  await screen.findByText('Every store was checked: nothing is left.');
}

const linesAbout = (start: RegExp) => screen.queryAllByText(start).map((it) => it.textContent);

describe('what was left to others', () => {
  it.each<[HandedOver, string]>([
    [
      { conversations: 3, personas: 2, files: 4 },
      'Left to the owners of workspaces: 3 conversations, 2 personas, 4 files.',
    ],
    [
      { conversations: 1, personas: 1, files: 1 },
      'Left to the owners of workspaces: 1 conversation, 1 persona, 1 file.',
    ],
    [
      { conversations: 0, personas: 0, files: 2 },
      'Left to the owners of workspaces: 0 conversations, 0 personas, 2 files.',
    ],
  ])('is %j in the receipt', async (handedOver, line) => {
    await open({ handedOver });
    expect(linesAbout(/^Left to/)).toEqual([line]);
  });

  it.each([
    [
      {
        handedOver: { conversations: 0, personas: 0, files: 0 },
        elsewhere: { erased: 0, kept: 0 },
      },
    ],
    [{}],
  ])('has no line when it is nothing: %j', async (fields) => {
    await open(fields);
    expect(linesAbout(/^(?:Left to|Messages in)/)).toEqual([]);
  });

  it('counts the messages in conversations of others beside it', async () => {
    await open({
      handedOver: { conversations: 1, personas: 0, files: 0 },
      elsewhere: { erased: 2, kept: 5 },
    });
    expect(linesAbout(/^Messages in/)).toEqual([
      'Messages in conversations of others: 2 erased, 5 kept as those of a former member.',
    ]);
  });
});
