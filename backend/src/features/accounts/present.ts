import type { DemoAllowance, User } from '../../contract/auth.ts';
import type { UserRecord } from './user-model.ts';

/** The account as its owner may see it; `demo` for guests only. */
export const presentUser = (user: UserRecord, demo?: DemoAllowance): User => ({
  id: user.id,
  email: user.email,
  firstName: user.firstName,
  lastName: user.lastName,
  subscriptionStatus: user.subscriptionStatus,
  subscriptionPlan: user.subscriptionPlan,
  ...(demo && { demo }),
});
