import * as z from 'zod';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './limits.ts';

const email = z.email('Enter a valid e-mail address.').max(254).toLowerCase();

/** POST /api/auth/login (section 7). */
export const LoginBody = z.object({
  email,
  password: z.string().min(1, 'Enter your password.').max(MAX_PASSWORD_LENGTH),
});
export type LoginBody = z.infer<typeof LoginBody>;

/** POST /api/auth/register (section 7). */
export const RegisterBody = z.object({
  email,
  password: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
    .max(MAX_PASSWORD_LENGTH, `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`),
  firstName: z.string().trim().max(80).default(''),
  lastName: z.string().trim().max(80).default(''),
});
export type RegisterBody = z.infer<typeof RegisterBody>;

/** Answer of login and register; guest start answers the token alone (section 7). */
export interface TokenResult {
  token: string;
  message?: string;
}

export type SubscriptionStatus = 'active' | 'guest';
export type PlanId = 'starter' | 'pro';

/** GET /api/auth/user. */
export interface User {
  id: string;
  email: string | null;
  firstName: string;
  lastName: string;
  subscriptionStatus: SubscriptionStatus | null;
  subscriptionPlan: PlanId | null;
  /** What is left of the demo; only for guests. */
  demo?: DemoAllowance;
}

export interface DemoAllowance {
  messagesLeft: number;
  messageLimit: number;
  tokensLeft: number;
  tokenLimit: number;
}
