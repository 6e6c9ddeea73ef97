import type { Principal } from '../../http/require-user.ts';
import type { SessionEnded } from './sessions.ts';

/** The guest who signs in or registers, if it is one, and the session that ends with it. */
export const guestOf = (principal: Principal | null): { guest?: SessionEnded } =>
  principal?.user.subscriptionStatus === 'guest'
    ? { guest: { userId: principal.user.id, sessionId: principal.session.id } }
    : {};
