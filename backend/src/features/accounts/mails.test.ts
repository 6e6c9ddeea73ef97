import { expect, it } from 'vitest';
import type { Mailer } from '../../mail/index.ts';
import { accountsUnderTest } from './accounts.fixture.ts';
import { confirmEmail } from './credentials.ts';
import { makeLink } from './links.ts';
import { sendMail } from './mails.ts';
import { registerAccount } from './register.ts';
import type { UserRecord } from './user-record.ts';

const test = accountsUnderTest();

const EMAIL = 'ada@example.com';
const OTHER_EMAIL = 'other@example.com';

const stored = async (id: string) => (await test.accounts.users.find(id)) as UserRecord;

function outgoing({ failing = new Set<string>() } = {}) {
  const sent: string[] = [];
  const mailer: Mailer = {
    send: async ({ to }) => {
      if (failing.has(to)) throw new Error('The mail server is unreachable.');
      sent.push(to);
    },
    close: () => undefined,
  };
  const send = (userId: string) =>
    sendMail(test.accounts, mailer, { userId, kind: 'email-replaced' });
  return { sent, send };
}

/** Changes the email address of an account, as its user does. */
async function change(user: UserRecord, email: string) {
  await test.update(user.id, { $set: { pendingEmail: email } });
  const own = { userId: user.id, sessionId: '000000000000000000000000' };
  const token = await makeLink(test.accounts, 'confirm', { userId: user.id, email });
  await confirmEmail(test.accounts, { token }, own);
}

it('the former address is notified of a finished change of the email address, once', async () => {
  const another = await test.verified('another@example.com');
  await test.update(another.id, { $set: { formerEmails: [EMAIL] } });
  const user = await test.verified(EMAIL);
  await change(user, OTHER_EMAIL);
  expect(test.mails).toEqual(expect.arrayContaining(['email-changed', 'email-replaced']));
  const { sent, send } = outgoing();
  await send(user.id);
  await send(user.id);
  expect(sent).toEqual([EMAIL]);
  expect((await stored(user.id)).formerEmails).toEqual([]);
  expect((await stored(another.id)).formerEmails).toEqual([EMAIL]);
});

it('both former addresses are notified of two changes in a row, even when one mail fails first', async () => {
  const user = await test.verified(EMAIL);
  await change(user, OTHER_EMAIL);
  await change(await stored(user.id), 'third@example.com');
  const broken = outgoing({ failing: new Set([OTHER_EMAIL]) });
  await expect(broken.send(user.id)).rejects.toThrow('unreachable');
  const { sent, send } = outgoing();
  await send(user.id);
  expect([...broken.sent, ...sent]).toEqual([EMAIL, OTHER_EMAIL]);
});

it('an unverified address gets no notice', async () => {
  const { id } = await registerAccount(test.accounts, {
    email: EMAIL,
    password: 'a long enough password',
    firstName: '',
    lastName: '',
  });
  await change(await stored(id), OTHER_EMAIL);
  expect(test.mails).not.toContain('email-replaced');
  expect((await stored(id)).formerEmails).toEqual([]);
});
