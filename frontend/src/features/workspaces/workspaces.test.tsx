import type { Invitation, User, Workspace, WorkspaceMember } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { removeAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testSubscriber } from '../../lib/user.fixture.ts';
import { InvitationPage } from './invitation-page.tsx';
import { WorkspacePage } from './workspace-page.tsx';

const ID = 'a'.repeat(24);
const ME: User = { ...testSubscriber(), id: 'b'.repeat(24) };
const workspaceOf = (changes: Partial<Workspace> = {}): Workspace => ({
  id: ID,
  name: 'Owls',
  role: 'owner',
  seats: { included: 5, taken: 3 },
  owner: { id: ME.id, name: 'Ada' },
  closed: null,
  transferTo: null,
  pool: { usedUp: null, resetsAt: null },
  allowLinks: true,
  ...changes,
});
const memberOf = (userId: string, name: string, role: WorkspaceMember['role']) => ({
  userId,
  name,
  email: `${name}@example.com`,
  role,
  joinedAt: '2026-11-22T10:00:00.000Z',
  usage: { tokens: 1_200, lastUsedOn: '2026-11-23', cap: null },
});
const MEMBERS = [memberOf(ME.id, 'Ada', 'owner'), memberOf('c'.repeat(24), 'Grace', 'admin')];
const INVITATION: Invitation = {
  id: 'd'.repeat(24),
  email: 'new@example.com',
  role: 'member',
  createdAt: '2026-11-22T10:00:00.000Z',
  expiresAt: '2026-11-29T10:00:00.000Z',
};

const answersFor = (workspace: Workspace) => ({
  'GET /api/workspaces': { body: [workspace] },
  'GET /api/workspaces/joinable': { body: [] },
  [`GET /api/workspaces/${ID}/members`]: { body: MEMBERS },
  [`GET /api/workspaces/${ID}/invitations`]: { body: [INVITATION] },
  [`GET /api/workspaces/${ID}/shares`]: { body: [] },
});

const show = (element: React.ReactElement) =>
  render(<QueryClientProvider client={queryClient}>{element}</QueryClientProvider>);

describe('the page of a workspace', () => {
  it('lets an owner change roles, and says before a member is removed what happens', async () => {
    const { asked } = fakeServer({
      ...answersFor(workspaceOf()),
      [`PATCH /api/workspaces/${ID}/members/${'c'.repeat(24)}`]: { status: 200 },
      [`GET /api/workspaces/${ID}/members/${'c'.repeat(24)}/leaving`]: {
        body: { shared: 3, personas: 1, files: 2 },
      },
      [`DELETE /api/workspaces/${ID}/members/${'c'.repeat(24)}?heirId=${ME.id}`]: { status: 204 },
    });
    show(<WorkspacePage user={ME} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Role of Grace: Admin' }));
    await userEvent.click(await screen.findByRole('menuitemradio', { name: 'Viewer' }));
    expect(asked.find(({ call }) => call.startsWith('PATCH'))?.body).toEqual({ role: 'viewer' });
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Grace' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }));
    const dialog = await screen.findByRole('dialog', { name: 'Remove Grace?' });
    expect(
      await within(dialog).findByText(
        /^3 conversations that they shared stay.* 1 persona that they shared stays too\. 2 files that they shared stay too\.$/,
      ),
    ).toBeTruthy();
    const heir = within(dialog).getByRole('combobox', { name: 'The shared ones go to' });
    expect(heir.textContent).toBe('Ada');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked.map(({ call }) => call)).toContain(
      `DELETE /api/workspaces/${ID}/members/${'c'.repeat(24)}?heirId=${ME.id}`,
    );
  });

  it('changes a role by keyboard only when one is chosen, and keeps the focus', async () => {
    const { asked } = fakeServer({
      ...answersFor(workspaceOf()),
      [`PATCH /api/workspaces/${ID}/members/${'c'.repeat(24)}`]: { status: 200 },
    });
    const changes = () =>
      asked.filter(({ call }) => call.startsWith('PATCH')).map(({ body }) => body);
    show(<WorkspacePage user={ME} />);
    const role = await screen.findByRole('button', { name: 'Role of Grace: Admin' });
    act(() => role.focus());
    await userEvent.keyboard('{Enter}');
    const admin = await screen.findByRole('menuitemradio', { name: 'Admin' });
    expect(admin.getAttribute('aria-checked')).toBe('true');
    await waitFor(() => expect(document.activeElement).toBe(admin));
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(changes()).toEqual([]);
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(changes()).toEqual([{ role: 'member' }]));
    await waitFor(() => expect(document.activeElement).toBe(role));
    expect(role.hasAttribute('disabled')).toBe(false);
  });

  it('sends the second of two choices after the first, so that it counts', async () => {
    const path = `PATCH /api/workspaces/${ID}/members/${'c'.repeat(24)}`;
    const { asked } = fakeServer({ ...answersFor(workspaceOf()), [path]: { status: 200 } });
    let answer = () => {};
    const firstAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const serve = globalThis.fetch;
    vi.stubGlobal('fetch', async (...call: Parameters<typeof fetch>) => {
      const response = await serve(...call);
      if (call[1]?.method === 'PATCH') await firstAnswer;
      return response;
    });
    show(<WorkspacePage user={ME} />);
    const choose = async (from: string, to: string) => {
      const name = `Role of Grace: ${from}`;
      await userEvent.click(await screen.findByRole('button', { name }));
      await userEvent.click(await screen.findByRole('menuitemradio', { name: to }));
    };
    const changes = () => asked.filter(({ call }) => call === path).map(({ body }) => body);
    await choose('Admin', 'Viewer');
    await choose('Viewer', 'Member');
    await screen.findByRole('button', { name: 'Role of Grace: Member' });
    expect(changes()).toEqual([{ role: 'viewer' }]);
    answer();
    await waitFor(() => expect(changes()).toEqual([{ role: 'viewer' }, { role: 'member' }]));
  });

  it('shows what each member has used, and lets an admin set and remove a limit', async () => {
    const path = `/api/workspaces/${ID}/members/${'c'.repeat(24)}`;
    const { asked } = fakeServer({
      ...answersFor(workspaceOf()),
      [`PATCH ${path}`]: { status: 200 },
    });
    show(<WorkspacePage user={ME} />);
    expect(await screen.findAllByText(/^1,200 tokens this month · last used .*23/)).toHaveLength(2);
    const set = async (text: string) => {
      await userEvent.click(screen.getByRole('button', { name: 'Actions for Grace' }));
      await userEvent.click(await screen.findByRole('menuitem', { name: 'Set token limit' }));
      const dialog = await screen.findByRole('dialog', { name: 'Token limit for Grace' });
      const field = within(dialog).getByLabelText('Tokens a month');
      await userEvent.clear(field);
      if (text) await userEvent.type(field, text);
      await userEvent.click(within(dialog).getByRole('button', { name: 'Save limit' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    };
    await set('50,000');
    await set('');
    const bodies = asked.filter(({ call }) => call.startsWith('PATCH')).map(({ body }) => body);
    expect(bodies).toEqual([{ cap: 50_000 }, { cap: null }]);
  });

  it('lets an admin open it to a domain, and a user with an address there join', async () => {
    const { asked } = fakeServer({
      ...answersFor(workspaceOf({ join: { domain: 'owls.example', isOn: false } })),
      'GET /api/workspaces/joinable': { body: [{ id: 'f', name: 'Hawks', full: false }] },
      [`PUT /api/workspaces/${ID}/domains`]: { status: 204 },
      'POST /api/workspaces/f/join': { body: { workspaceId: 'f', wasMember: false } },
    });
    show(<WorkspacePage user={ME} />);
    await userEvent.click(
      await screen.findByRole('checkbox', { name: /at owls.example may join/ }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Join Hawks' }));
    await waitFor(() =>
      expect(asked.filter(({ call }) => /^(PUT|POST)/.test(call))).toMatchObject([
        { call: `PUT /api/workspaces/${ID}/domains`, body: { domains: ['owls.example'] } },
        { call: 'POST /api/workspaces/f/join' },
      ]),
    );
  });

  it('counts the one seat of Starter', async () => {
    fakeServer(answersFor(workspaceOf({ seats: { included: 1, taken: 1 } })));
    show(<WorkspacePage user={ME} />);
    expect(await screen.findByText('1 of 1 seat taken, open invitations included')).toBeTruthy();
  });

  it('says how many lose access before it is deleted', async () => {
    fakeServer(answersFor(workspaceOf()));
    show(<WorkspacePage user={ME} />);
    await screen.findByText('Grace');
    await userEvent.click(screen.getByRole('button', { name: 'Delete workspace' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete “Owls”?' });
    expect(dialog.textContent).toContain(
      '1 other member loses access, and 1 open invitation ends.',
    );
  });

  it('offers a viewer nothing but to leave', async () => {
    fakeServer(answersFor(workspaceOf({ role: 'viewer', owner: { id: 'x', name: 'Eve' } })));
    show(
      <WorkspacePage
        user={{ ...ME, id: 'e'.repeat(24), subscriptionStatus: null, subscriptionPlan: null }}
      />,
    );
    await screen.findByText('Grace');
    expect(screen.queryAllByRole('combobox')).toEqual([]);
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Leave workspace',
    ]);
  });

  it('is read-only when the plan of the owner has ended, but lets members be removed', async () => {
    fakeServer(answersFor(workspaceOf({ closed: 'plan' })));
    show(<WorkspacePage user={ME} />);
    expect(await screen.findByText('The plan of Ada has ended. Everything is kept.')).toBeTruthy();
    await screen.findByText('Grace');
    expect(screen.queryByRole('button', { name: 'Rename' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Role of/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Actions for Grace' })).toBeTruthy();
  });
});

describe('the page of an invitation', () => {
  afterEach(() => removeAuthToken());
  const open = (answers: Parameters<typeof fakeServer>[0]) => {
    setAuthToken('one');
    window.location.hash = '#token=secret';
    const server = fakeServer({ 'GET /api/auth/user': { body: ME }, ...answers });
    show(<InvitationPage />);
    return server;
  };

  it('joins by a click only, and removes the secret from the address', async () => {
    const { asked } = open({
      'POST /api/invitations/read': {
        body: { workspaceName: 'Owls', ownerName: 'Ada', role: 'viewer' },
      },
    });
    expect(await screen.findByText('Ada invites you as: Viewer.')).toBeTruthy();
    expect(window.location.hash).toBe('');
    expect(asked.map(({ call }) => call)).not.toContain('POST /api/invitations/accept');
  });

  it('says for whom it is to the user of another address', async () => {
    const details = { email: 'n…@example.com' };
    open({
      'POST /api/invitations/read': {
        status: 403,
        body: { code: 'forbidden', message: 'This invitation is for n…@example.com.', details },
      },
    });
    expect(
      await screen.findByText('This invitation is for n…@example.com. Sign in with that address.'),
    ).toBeTruthy();
  });
});
