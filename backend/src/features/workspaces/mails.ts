import { INVITATION_DAYS } from '../../contract/limits.ts';
import type { Mailer } from '../../mail/index.ts';
import { hashOf, newSecret } from '../accounts/index.ts';
import type { InvitationMail, WorkspacesFeature } from './feature.ts';
import { expiryOf } from './invitations.ts';

/**
 * Mails an open invitation with a new secret, unless its address has reached its mails of the hour. The mail contains no text that a user
 * can choose, so that nobody sends advertisements by it; the page behind the link shows the names.
 */
export async function mailInvitation(
  { invitations, others, baseUrl, now }: WorkspacesFeature,
  mailer: Mailer,
  { userId, invitationId }: InvitationMail,
): Promise<void> {
  const { users, mailQuota } = others.accounts;
  const [invitation, inviter] = await Promise.all([
    invitations.find(invitationId, now()),
    users.find(userId),
  ]);
  if (!invitation || !inviter) return;
  const { email: to } = invitation;
  const token = newSecret();
  const sender = inviter.emailVerified && inviter.email !== null ? inviter.email : 'A user';
  const lines = [
    `${sender} invites you to a workspace of STOLAS. Open this link to see it and to join:`,
    `${baseUrl}/invitation#token=${token}`,
    `It works once, for ${INVITATION_DAYS} days, and only for this address. If you do not know the sender, ignore this email.`,
  ];
  await mailQuota.within({ to, userId }, async () => {
    // Stored before it is sent: a link that arrives always works.
    await invitations.setToken(invitation, {
      tokenHash: hashOf(token),
      expiresAt: expiryOf(now()),
    });
    await mailer.send({
      to,
      subject: 'STOLAS: You are invited to a workspace',
      text: `${lines.join('\n\n')}\n`,
    });
  });
}
