import { getParser } from 'bowser';
import type { Session, User } from '../../contract/auth.ts';
import type { SessionRecord } from './session-model.ts';
import type { PlanView, UserRecord } from './user-record.ts';

/** The account as its owner may see it. */
export const presentUser = (user: UserRecord, plan: PlanView): User => ({
  id: user.id,
  email: user.email,
  emailVerified: user.emailVerified,
  pendingEmail: user.pendingEmail,
  hasPassword: user.hasPassword,
  signInProviders: user.signInProviders,
  firstName: user.firstName,
  lastName: user.lastName,
  ...plan,
});

export const presentSession = (session: SessionRecord, currentId: string): Session => ({
  id: session.id,
  device: deviceOf(session.userAgent),
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  current: session.id === currentId,
});

/** Browser and system in words, from the User-Agent header. */
function deviceOf(userAgent: string): string {
  if (userAgent === '') return 'Unknown device';
  const device = getParser(userAgent);
  const browser = device.getBrowserName() || 'Unknown browser';
  return [browser, device.getOSName()].filter(Boolean).join(' on ');
}
