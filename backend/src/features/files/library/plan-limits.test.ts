import { describe, expect, it } from 'vitest';
import { MB } from '../files.fixture.ts';
import { createPlanLimits, formatBytes } from './plan-limits.ts';

describe('the largest file', () => {
  const limits = (plan: object, purpose: 'chat' | 'library', payer: object = { uploadBytes: 0 }) =>
    createPlanLimits({
      others: {
        billing: {
          entitlementsOf: async (id) =>
            ({ kind: 'user', storageBytes: 1, ...(id === 'payer' ? payer : plan) }) as never,
        },
        workspaces: { poolsOf: async () => [{ ownerId: 'payer' }] as never },
      },
      config: { PRO_UPLOAD_MB: 120 },
    })({ userId: 'x', isGuest: false } as never, purpose);
  const pro = { subscriptionPlan: 'pro', uploadBytes: 100 * MB };
  const starter = { subscriptionPlan: 'starter', uploadBytes: 10 * MB };
  const guest = { kind: 'guest', subscriptionPlan: null, uploadBytes: 5 * MB };

  it('is the smaller one of plan and message, and the refusal names it', async () => {
    const sentences = [];
    for (const [plan, purpose] of [
      [guest, 'chat'],
      [starter, 'chat'],
      [pro, 'chat'],
      [pro, 'library'],
    ] as const) {
      const { fileBytes, tooLarge } = await limits(plan, purpose);
      sentences.push(`${fileBytes / MB} ${tooLarge({ name: 'a.pdf' }).message}`);
    }
    expect(sentences).toEqual([
      '5 a.pdf exceeds maximum allowed size of 5 MB. Choose a plan to upload larger files.',
      '10 a.pdf exceeds maximum allowed size of 10 MB. Your Starter plan allows 10 MB per file; upgrade to Pro for files of up to 120 MB.',
      '25 a.pdf exceeds maximum allowed size of 25 MB. Upload it to your file library, which takes files of up to 120 MB, and attach it from there.',
      '120 a.pdf exceeds maximum allowed size of 120 MB. Your Pro plan allows 120 MB per file. Split the file into smaller ones.',
    ]);
  });

  it('needs a plan', async () => {
    const none = { subscriptionPlan: null, uploadBytes: 0 };
    await expect(limits(none, 'chat')).rejects.toMatchObject({ code: 'subscription_required' });
    // A workspace pays for the messages of its members, and not for their library.
    expect(await limits(none, 'chat', starter)).toMatchObject({ fileBytes: 10 * MB });
    const sentences = await Promise.all(
      [starter, pro].map(
        async (payer) => (await limits(none, 'chat', payer)).tooLarge({ name: 'a.pdf' }).message,
      ),
    );
    expect(sentences).toEqual([
      'a.pdf exceeds maximum allowed size of 10 MB. The plan of your workspace allows 10 MB per file. Split the file into smaller ones.',
      'a.pdf exceeds maximum allowed size of 25 MB. A message takes files of up to 25 MB. Split the file into smaller ones.',
    ]);
    await expect(limits(none, 'library', starter)).rejects.toMatchObject({
      code: 'subscription_required',
    });
  });

  it('is written for users', () => {
    expect([1_000, 1_536, 10 * MB, 1.57 * MB, 20 * 1024 * MB].map(formatBytes)).toEqual([
      '0.9 KB',
      '1.5 KB',
      '10 MB',
      '1.5 MB',
      '20 GB',
    ]);
  });
});
