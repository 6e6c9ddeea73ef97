import type { DeletionPreview, Session, User } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testGuest, testUser } from '../../lib/user.fixture.ts';
import { live } from '../../realtime/index.ts';
import { Toaster } from '../../ui/toast.tsx';
import { SettingsPage } from './settings-page.tsx';

const HERE: Session = {
  id: 's1',
  device: 'Firefox on Linux',
  createdAt: new Date().toISOString(),
  lastUsedAt: new Date().toISOString(),
  current: true,
};
const NOTHING_SHARED: DeletionPreview = { shared: 0, personas: 0, files: 0, messages: 0 };
const PHONE: Session = { ...HERE, id: 's2', device: 'Safari on iOS', current: false };

let server: ReturnType<typeof fakeServer>;

async function open(user: User = testUser()) {
  server.answers['GET /api/auth/user'] = { body: user };
  queryClient.setQueryData(userQuery.queryKey, user);
  render(
    <QueryClientProvider client={queryClient}>
      <SettingsPage />
      <Toaster />
    </QueryClientProvider>,
  );
  await screen.findByText('Firefox on Linux');
}

const section = (name: string) => within(screen.getByRole('region', { name }));
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
const asked = (call: string) => server.asked.filter((one) => one.call === call);
const wrong = (field: string, message: string) => ({
  status: 422,
  body: { code: 'invalid_field', message, details: { field } },
});
const leaving = () => vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);

beforeEach(() => {
  server = fakeServer({
    'GET /api/auth/sessions': { body: [HERE, PHONE] },
    'GET /api/account/export': { body: { export: null } },
    'GET /api/account/deletion': { body: NOTHING_SHARED },
    'GET /api/shares': { body: [] },
  });
  setAuthToken('one');
  navigate('/settings');
});

describe('the list of sections', () => {
  const current = () => screen.getAllByRole('link', { current: true }).map((it) => it.textContent);

  it('marks the section that was clicked until the user scrolls', async () => {
    await open();
    expect(current()).toEqual(['Profile']);
    await userEvent.click(screen.getByRole('link', { name: 'Sessions' }));
    expect(current()).toEqual(['Sessions']);
    fireEvent.wheel(document.body);
    expect(current()).toEqual(['Profile']);
  });

  it('marks the section that the address names', async () => {
    navigate('/settings#usage');
    await open();
    expect(current()).toEqual(['Usage']);
  });
});

describe('the profile', () => {
  it('saves the names', async () => {
    const changed = testUser({ firstName: 'Grace', lastName: 'Hopper' });
    server.answers['PATCH /api/auth/user'] = { body: changed };
    await open();
    await userEvent.clear(screen.getByLabelText('First Name'));
    await userEvent.type(screen.getByLabelText('First Name'), 'Grace');
    await userEvent.type(screen.getByLabelText('Last Name'), 'Hopper');
    await press('Save Name');
    expect(await screen.findByText('Your name is saved')).toBeTruthy();
    expect(asked('PATCH /api/auth/user')[0]?.body).toEqual({
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    expect(queryClient.getQueryData(userQuery.queryKey)).toEqual(changed);
  });

  it('shows the error at the field, moves there, and keeps the typed text', async () => {
    server.answers['PATCH /api/auth/user'] = wrong('lastName', 'This name is too long.');
    await open();
    await userEvent.type(screen.getByLabelText('Last Name'), 'Hopper');
    await press('Save Name');
    expect(await screen.findByText('This name is too long.')).toBeTruthy();
    const field = screen.getByLabelText<HTMLInputElement>('Last Name');
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['Hopper', 'true']);
    expect(document.activeElement).toBe(field);
  });
});

describe('the email address', () => {
  it('is changed with the current password', async () => {
    server.answers['POST /api/auth/email'] = { body: { message: 'Open the link.' } };
    await open();
    expect(screen.getByText('Confirmed')).toBeTruthy();
    await press('Change Email');
    const form = section('Email');
    await userEvent.type(form.getByLabelText('New email'), 'new@example.com');
    await userEvent.type(form.getByLabelText('Current password'), 'secret stars');
    await press('Send Link');
    expect(await screen.findByText('Open the link.')).toBeTruthy();
    expect(asked('POST /api/auth/email')[0]?.body).toEqual({
      email: 'new@example.com',
      currentPassword: 'secret stars',
    });
    expect(screen.queryByLabelText('New email')).toBeNull();
  });

  it('is marked as unconfirmed, and its link can be sent again', async () => {
    server.answers['POST /api/auth/email/resend'] = {
      body: { message: 'The link is on its way.' },
    };
    await open(testUser({ emailVerified: false, pendingEmail: 'next@example.com' }));
    expect(screen.getByText(/Not confirmed yet/)).toBeTruthy();
    expect(screen.getByText('next@example.com')).toBeTruthy();
    await press('Send the Link Again');
    expect(await screen.findByText('The link is on its way.')).toBeTruthy();
  });

  it('shows the address of a change that waits for its link, which can be cancelled', async () => {
    await open(testUser({ pendingEmail: 'next@example.com' }));
    server.answers['DELETE /api/auth/email/pending'] = { body: testUser() };
    expect(screen.getByText('next@example.com')).toBeTruthy();
    await press('Cancel the Change');
    await waitFor(() => expect(screen.queryByText('next@example.com')).toBeNull());
    expect(screen.getByText('Confirmed')).toBeTruthy();
  });

  it('can be entered for an account without one', async () => {
    await open(testUser({ email: null, emailVerified: false }));
    expect(screen.getByText('No address')).toBeTruthy();
    expect(screen.queryByText(/Not confirmed yet/)).toBeNull();
    expect(screen.queryByRole('button', { name: 'Send the Link Again' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Change Email' })).toBeTruthy();
  });

  it('requires a recent sign-in for an account without a password', async () => {
    server.answers['POST /api/auth/email'] = {
      status: 403,
      body: { code: 'reauthentication_required', message: 'Sign in again to do this.' },
    };
    await open(testUser({ hasPassword: false, signInProviders: ['google'] }));
    await press('Change Email');
    const form = section('Email');
    await userEvent.type(form.getByLabelText('New email'), 'new@example.com');
    await press('Send Link');
    expect(await form.findByRole('button', { name: 'Sign In Again with Google' })).toBeTruthy();
  });
});

describe('the password', () => {
  it('is changed, and the form is empty again', async () => {
    server.answers['POST /api/auth/password'] = { body: { message: 'Others are signed out.' } };
    await open();
    const form = section('Password');
    const current = form.getByLabelText<HTMLInputElement>('Current password');
    await userEvent.type(current, 'secret stars');
    await userEvent.type(form.getByLabelText('New password'), 'other stars');
    await press('Change Password');
    expect(await screen.findByText('Others are signed out.')).toBeTruthy();
    expect(current.value).toBe('');
  });

  it('shows at its field that it is wrong', async () => {
    server.answers['POST /api/auth/password'] = wrong('currentPassword', 'This is not it.');
    await open();
    const form = section('Password');
    await userEvent.type(form.getByLabelText('Current password'), 'guess');
    await userEvent.type(form.getByLabelText('New password'), 'other stars');
    await press('Change Password');
    expect(await form.findByText('This is not it.')).toBeTruthy();
  });

  it('is set by a mailed link where there is none', async () => {
    server.answers['POST /api/auth/password/forgot'] = { body: { message: '' } };
    await open(testUser({ hasPassword: false, signInProviders: ['google', 'replit'] }));
    expect(screen.getByText('You also sign in with Google and Replit.')).toBeTruthy();
    await press('Send Me a Link to Set One');
    expect(await screen.findByText('The link is on its way')).toBeTruthy();
    expect(asked('POST /api/auth/password/forgot')[0]?.body).toEqual({ email: 'ada@example.com' });
  });
});

describe('the sessions', () => {
  it('are listed with this browser marked, and another one is ended', async () => {
    server.answers['DELETE /api/auth/sessions/s2'] = {};
    await open();
    expect(screen.getByText(/^This browser/)).toBeTruthy();
    server.answers['GET /api/auth/sessions'] = { body: [HERE] };
    await press('Sign Out of Safari on iOS');
    await waitFor(() => expect(screen.queryByText('Safari on iOS')).toBeNull());
  });

  it('are read again when one begins or ends elsewhere', async () => {
    await open();
    server.answers['GET /api/auth/sessions'] = { body: [HERE] };
    live.handlers['sessions:changed']();
    await waitFor(() => expect(screen.queryByText('Safari on iOS')).toBeNull());
  });

  it('are all ended after a confirmation, and this browser goes to /login', async () => {
    const assign = leaving();
    server.answers['DELETE /api/auth/sessions'] = {};
    localStorage.setItem('draft:u1:c1', '{}');
    await open();
    await press('Sign Out Everywhere');
    expect(asked('DELETE /api/auth/sessions')).toEqual([]);
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Sign Out Everywhere' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/login'));
    expect(getAuthToken()).toBeNull();
    expect(localStorage.getItem('draft:u1:c1')).toBeNull();
  });

  it('are all ended, and the drafts removed, also when the end is reported before the answer', async () => {
    const left: unknown[] = [];
    leaving().mockImplementation(() => {
      left.push(localStorage.getItem('draft:u1:c1'));
    });
    Object.defineProperty(server.answers, 'DELETE /api/auth/sessions', {
      get: () => {
        live.handlers['session:ended']();
        return {};
      },
    });
    localStorage.setItem('draft:u1:c1', '{}');
    await open();
    await press('Sign Out Everywhere');
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.click(dialog.getByRole('button', { name: 'Sign Out Everywhere' }));
    await waitFor(() => expect(left).toEqual([null]));
  });

  it('lead to /login when the session of this browser has ended', async () => {
    const assign = leaving();
    server.answers['DELETE /api/auth/sessions/s2'] = {
      status: 401,
      body: { code: 'unauthenticated', message: 'Sign in to go on.' },
    };
    await open();
    localStorage.setItem('draft:u1:c1', '{}');
    await press('Sign Out of Safari on iOS');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/login'));
    expect(localStorage.getItem('draft:u1:c1')).toBe('{}');
  });

  it('show when they could not be ended', async () => {
    server.answers['DELETE /api/auth/sessions/s2'] = 'no network';
    await open();
    await press('Sign Out of Safari on iOS');
    expect(await screen.findByText('That browser was not signed out')).toBeTruthy();
    expect(screen.getByText('Safari on iOS')).toBeTruthy();
  });
});

describe('deleting the account', () => {
  const DELETED = { status: 202, body: { message: 'Deleted.', receiptId: 'r1' } };

  it('requires the password, shows when it is wrong, and goes to the receipt when it is done', async () => {
    const assign = leaving();
    server.answers['DELETE /api/auth/user'] = wrong('currentPassword', 'This is not it.');
    await open();
    await press('Delete Account');
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('Current password'), 'secret stars');
    await userEvent.click(dialog.getByRole('button', { name: 'Delete Account' }));
    expect(await dialog.findByText('This is not it.')).toBeTruthy();
    server.answers['DELETE /api/auth/user'] = DELETED;
    await userEvent.click(dialog.getByRole('button', { name: 'Delete Account' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/deleted/r1'));
    expect(asked('DELETE /api/auth/user')[1]?.body).toEqual({ currentPassword: 'secret stars' });
  });

  it('removes what the user left in this browser', async () => {
    const assign = leaving();
    server.answers['DELETE /api/auth/user'] = DELETED;
    localStorage.setItem('draft:u1:c1', '{}');
    await open();
    await press('Delete Account');
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('Current password'), 'secret stars');
    await userEvent.click(dialog.getByRole('button', { name: 'Delete Account' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/deleted/r1'));
    expect(localStorage.getItem('draft:u1:c1')).toBeNull();
  });

  it('without a password asks to sign in again with the provider, and comes back here', async () => {
    const assign = leaving();
    server.answers['DELETE /api/auth/user'] = {
      status: 403,
      body: { code: 'reauthentication_required', message: 'Sign in again to do this.' },
    };
    await open(testUser({ hasPassword: false, signInProviders: ['replit'] }));
    await press('Delete Account');
    const dialog = within(await screen.findByRole('dialog'));
    const field = dialog.getByLabelText('Type ada@example.com to confirm');
    await userEvent.type(field, 'ada@example.com');
    await userEvent.click(dialog.getByRole('button', { name: 'Delete Account' }));
    await userEvent.click(await dialog.findByRole('button', { name: 'Sign In Again with Replit' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/login?again=true'));
    expect(sessionStorage.getItem('signInNext')).toBe('/settings');
  });

  it('requires a user without a password to type the email address', async () => {
    await open(testUser({ hasPassword: false }));
    await press('Delete Account');
    const dialog = within(await screen.findByRole('dialog'));
    const field = dialog.getByLabelText<HTMLInputElement>('Type ada@example.com to confirm');
    await userEvent.type(field, 'ada@example.org');
    await userEvent.click(dialog.getByRole('button', { name: 'Delete Account' }));
    expect(asked('DELETE /api/auth/user')).toEqual([]);
  });
});

describe('deleting an account that shares something', () => {
  const HINT =
    'They keep them with the answers and your messages. Files that you only attached to messages are erased. Unchecked, all of it is deleted for everybody.';
  const PROOF = { currentPassword: 'secret stars' };
  const OF_FORMER = 'Unchecked, they stay as those of a former member.';

  const openDialog = async (shared: Partial<DeletionPreview>) => {
    server.answers['GET /api/account/deletion'] = { body: { ...NOTHING_SHARED, ...shared } };
    server.answers['DELETE /api/auth/user'] = { status: 202, body: { receiptId: 'r1' } };
    await open();
    await press('Delete Account');
    return within(await screen.findByRole('dialog'));
  };
  type Shown = Awaited<ReturnType<typeof openDialog>>;
  const deletion = (dialog: Shown) =>
    dialog.getByRole<HTMLButtonElement>('button', { name: 'Delete Account' });
  const isReady = (dialog: Shown) => waitFor(() => expect(deletion(dialog).disabled).toBe(false));
  const choices = (dialog: Shown) =>
    dialog
      .queryAllByRole<HTMLInputElement>('checkbox')
      .map(({ checked, labels }) => [labels?.[0]?.textContent, checked]);

  const sentBy = async (dialog: Shown) => {
    const assign = leaving();
    await userEvent.type(dialog.getByLabelText('Current password'), PROOF.currentPassword);
    await userEvent.click(deletion(dialog));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/deleted/r1'));
    return asked('DELETE /api/auth/user')[0]?.body;
  };

  it.each<[Partial<DeletionPreview>, [string, boolean][]]>([
    [
      { shared: 1, personas: 1, files: 1, messages: 1 },
      [
        [
          `1 conversation that you share with workspaces goes to their owners. 1 persona that you share with workspaces goes to their owners. 1 file that you share with workspaces goes to their owners. ${HINT}`,
          true,
        ],
        [`Erase 1 message of yours in conversations of others. ${OF_FORMER}`, false],
      ],
    ],
    [
      { shared: 3, personas: 2, files: 1_200, messages: 5 },
      [
        [
          `3 conversations that you share with workspaces go to their owners. 2 personas that you share with workspaces go to their owners. 1,200 files that you share with workspaces go to their owners. ${HINT}`,
          true,
        ],
        [`Erase 5 messages of yours in conversations of others. ${OF_FORMER}`, false],
      ],
    ],
    [
      { shared: 2 },
      [
        [`2 conversations that you share with workspaces go to their owners. ${HINT}`, true],
        [`Erase your messages in them. ${OF_FORMER}`, false],
      ],
    ],
    [{ files: 2 }, [[`2 files that you share with workspaces go to their owners. ${HINT}`, true]]],
    [
      { messages: 1 },
      [[`Erase 1 message of yours in conversations of others. ${OF_FORMER}`, false]],
    ],
    [{}, []],
  ])('says for %j what becomes of it', async (shared, expected) => {
    const dialog = await openDialog(shared);
    await isReady(dialog);
    expect(choices(dialog)).toEqual(expected);
  });

  it('sends what is shown, changed or not, and no choice that was not shown', async () => {
    const dialog = await openDialog({ personas: 1, messages: 2 });
    await isReady(dialog);
    await userEvent.click(dialog.getByRole('checkbox', { name: /^1 persona/ }));
    await userEvent.click(dialog.getByRole('checkbox', { name: /^Erase 2 messages/ }));
    expect(await sentBy(dialog)).toEqual({ ...PROOF, handOver: false, eraseMessages: true });
  });

  it.each<[Partial<DeletionPreview>, Record<string, boolean>]>([
    [{ shared: 1 }, { handOver: true, eraseMessages: false }],
    [{ files: 1 }, { handOver: true }],
    [{ messages: 1 }, { eraseMessages: false }],
  ])('sends for %j the first choice', async (shared, expected) => {
    const dialog = await openDialog(shared);
    await isReady(dialog);
    expect(await sentBy(dialog)).toEqual({ ...PROOF, ...expected });
  });

  it('waits until it is known what is shared, so that nothing goes unsaid', async () => {
    const dialog = await openDialog({ shared: 1 });
    await isReady(dialog);
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    server.answers['GET /api/account/deletion'] = 'no network';
    await press('Delete Account');
    const again = within(await screen.findByRole('dialog'));
    expect(await again.findByText('What you share with others could not be loaded')).toBeTruthy();
    await userEvent.type(again.getByLabelText('Current password'), 'secret stars{Enter}');
    expect(deletion(again).disabled).toBe(true);
    expect(asked('DELETE /api/auth/user')).toEqual([]);
    server.answers['GET /api/account/deletion'] = { body: { ...NOTHING_SHARED, shared: 1 } };
    await userEvent.click(again.getByRole('button', { name: 'Try again' }));
    await isReady(again);
    expect(choices(again)).toHaveLength(2);
  });
});

describe('the language', () => {
  it('is chosen by its own name; the page loads again in it', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    await open();
    const languages = within(screen.getByRole('group', { name: 'Language' }));
    expect(languages.getByRole<HTMLInputElement>('radio', { name: 'English' }).checked).toBe(true);
    await userEvent.click(languages.getByRole('radio', { name: 'Deutsch' }));
    expect(localStorage.getItem('language')).toBe('de');
    expect(reload).toHaveBeenCalledOnce();
  });
});

it('has the keys of the sidebar also for users without a plan', async () => {
  await open(testUser({ subscriptionStatus: null, subscriptionPlan: null }));
  expect(screen.getByRole('button', { name: 'Show Keyboard Shortcuts' })).toBeTruthy();
});

it('a guest is invited to create an account, and has no profile', async () => {
  await open(testGuest());
  expect(screen.getByRole('link', { name: 'Create Account' }).getAttribute('href')).toBe('/login');
  expect(screen.queryByLabelText('First Name')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Change Password' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Delete Account' })).toBeTruthy();
});
