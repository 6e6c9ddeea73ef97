import { hash, verify } from '@node-rs/argon2';

// OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. About 25 ms on two cores.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// The hash of a password nobody has, made with the same cost: checking against it takes as long as a real check.
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
