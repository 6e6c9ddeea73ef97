import { getParser } from 'bowser';
import type { DemoAllowance, Session, User } from '../../contract/auth.ts';
import type { SessionRecord } from './session-model.ts';
import type { UserRecord } from './user-model.ts';

/** The account as its owner may see it; `demo` for guests only. */
export const presentUser = (user: UserRecord, demo?: DemoAllowance): User => ({
  id: user.id,
  email: user.email,
  emailVerified: user.emailVerified,
  pendingEmail: user.pendingEmail,
  hasPassword: user.hasPassword,
  signInProviders: user.signInProviders,
  firstName: user.firstName,
  lastName: user.lastName,
  subscriptionStatus: user.subscriptionStatus,
  subscriptionPlan: user.subscriptionPlan,
  ...(demo && { demo }),
});

export const presentSession = (session: SessionRecord, currentId: string): Session => ({
  id: session.id,
  device: deviceOf(session.userAgent),
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  current: session.id === currentId,
});

/** Browser and system in words, from what the browser says of itself. */
function deviceOf(userAgent: string): string {
  if (userAgent === '') return 'Unknown device';
  const device = getParser(userAgent);
  const browser = device.getBrowserName() || 'Unknown browser';
  return [browser, device.getOSName()].filter(Boolean).join(' on ');
}
