import { defineFeature } from '../define-feature.ts';
import { jsonEntry } from '../export-entry.ts';
import { createSharesFeature, defineModels, type Others } from './feature.ts';
import { endUnmanaged } from './makers.ts';
import { presentShare } from './manage.ts';
import { shareRoutes } from './routes.ts';
import { ENDED_KEPT_SECONDS, type MadeByManagers } from './share-model.ts';

/** Public links to conversations and replies. */
export const shares = defineFeature({
  name: 'shares',
  models: defineModels,
  owners: { shares: 'ownerId' },
  // They are few, and read by their id, by user and by conversation alike.
  shardKeys: { shares: null },
  retention: [{ kind: 'share', seconds: ENDED_KEPT_SECONDS }],
  create: (core, others: Others) => {
    const feature = createSharesFeature(core, others);
    return {
      ...feature,
      /** For the chat, which comes earlier in the list. */
      endOfConversation: async (conversationId: string): Promise<void> => {
        await feature.shares.endOfConversation(conversationId, feature.now());
      },
      endSnapshots: async (
        conversationIds: readonly string[],
        which: { withNamesOnly: boolean },
      ): Promise<void> => {
        await feature.shares.endSnapshots(conversationIds, { ...which, now: feature.now() });
      },
      retitle: feature.shares.retitle,
      endUnmanaged: (of: MadeByManagers) => endUnmanaged(feature, of),
    };
  },
  routes: ({ service, rateLimit }) => shareRoutes(service, rateLimit),
  exportUser: ({ service }, userId) => [
    jsonEntry('shares.json', async () => {
      const all = await service.shares.allOf(userId);
      return all.map((share) => ({ ...presentShare(service, share), revokedAt: share.revokedAt }));
    }),
  ],
  // What others have made of the user's conversations.
  userStores: ({ service }) => [{ name: 'shares', count: service.shares.countByOthers }],
  eraseUser: ({ service }, userId) => service.shares.removeAllOf(userId),
});
