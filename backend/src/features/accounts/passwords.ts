import { hash, verify } from '@node-rs/argon2';
import { invalidField } from '../../errors.ts';

// OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. About 25 ms on two cores.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// The hash of a random password with the same cost: checking against it takes as long as a real check.
let dummy: Promise<string> | undefined;
const dummyHash = () => (dummy ??= hash(crypto.randomUUID(), COST));

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Takes the same time whether there is a hash to check against or not. */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await dummyHash()), password);
  return passwordHash !== undefined && matches;
}

// Loaded on first use, because most processes never need it. All in lower case.
let common: Promise<ReadonlySet<string>> | undefined;
const commonPasswords = () =>
  (common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/**
 * Rejects a new password that is among the most common (NIST SP 800-63B, 3.1.1.2), or that is the email address itself.
 * @param field the field of the body with the password
 * @throws AppError invalid_field
 */
export async function rejectWeakPassword(
  password: string,
  { email, field }: { email: string; field: string },
): Promise<void> {
  const own = [email, email.split('@')[0]];
  const lower = password.toLowerCase();
  if (!(await commonPasswords()).has(lower) && !own.includes(lower)) return;
  const message = 'This password is easy to guess. Choose another one, such as four random words.';
  throw invalidField(field, message);
}
