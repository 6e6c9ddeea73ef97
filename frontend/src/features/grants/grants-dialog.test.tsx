import type { RecordGrant, WorkspaceMember } from '@stolas/backend/contract';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testSubscriber } from '../../lib/user.fixture.ts';
import { openPage } from '../../ui/page.fixture.tsx';
import { GrantsDialog } from './grants-dialog.tsx';

const BOB = 'b'.repeat(24);
const CAROL = 'c'.repeat(24);
const GRANTS = '/api/conversations/c1/grants';

let server: ReturnType<typeof fakeServer>;

const member = (userId: string, name: string): WorkspaceMember => ({
  userId,
  name,
  email: null,
  role: 'member',
  joinedAt: '2026-01-01T10:00:00.000Z',
});

const serveGrants = (...grants: RecordGrant[]) => {
  server.answers[`GET ${GRANTS}`] = { body: { grants } };
};

const open = () =>
  openPage(
    <GrantsDialog
      user={testSubscriber()}
      record={{ kind: 'conversations', id: 'c1', name: 'Stars above the house' }}
      onClose={() => undefined}
    />,
    '/',
  );

const role = async (name: string) =>
  (await screen.findByRole<HTMLSelectElement>('combobox', { name: `Access of ${name}` })).value;

beforeEach(() => {
  server = fakeServer({
    'GET /api/workspaces': { body: [{ id: 'w1', name: 'Observatory' }] },
    'GET /api/workspaces/w1/members': {
      body: [member(BOB, 'Bob Lee'), member(CAROL, 'Carol Ito')],
    },
    [`PUT ${GRANTS}`]: { body: { grants: [] } },
  });
});

it('shows and saves the roles of now, also when it is opened again at once', async () => {
  serveGrants({ userId: BOB, name: 'Bob Lee', role: 'viewer' });
  const { unmount } = open();
  expect(await role('Bob Lee')).toBe('viewer');
  unmount();
  // Another manager has changed them meanwhile.
  const now = [
    { userId: BOB, role: 'manager' },
    { userId: CAROL, role: 'editor' },
  ] as const;
  serveGrants({ ...now[0], name: 'Bob Lee' }, { ...now[1], name: 'Carol Ito' });
  open();
  expect(await role('Bob Lee')).toBe('manager');
  expect(await role('Carol Ito')).toBe('editor');
  await userEvent.setup().click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(server.asked.findLast(({ call }) => call === `PUT ${GRANTS}`)?.body).toEqual({
      grants: now,
    }),
  );
});
