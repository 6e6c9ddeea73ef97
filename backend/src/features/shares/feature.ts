import { randomBytes } from 'node:crypto';
import { type Config, publicUrl } from '../../config.ts';
import { createSlots } from '../../slots.ts';
import type { AccountsService } from '../accounts/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { AsksWorkspaces } from '../record-grants.ts';
import type { WorkspacesFeature } from '../workspaces/index.ts';
import { createOpenings } from './openings.ts';
import type { Content } from './present.ts';
import { createShareStore, defineShareModel } from './share-model.ts';
import { createViewers } from './viewers.ts';

/** What links need of other features. */
export interface Others {
  accounts: Pick<AccountsService, 'users'>;
  workspaces: WorkspacesFeature & AsksWorkspaces['others']['workspaces'];
  files: Pick<FilesService, 'openContent' | 'copyToLibrary'>;
  chat: Pick<
    ChatService,
    | 'conversations'
    | 'messages'
    | 'withLiveText'
    | 'openConversation'
    | 'openReply'
    | 'importConversation'
  >;
}

/**
 * Files of links that are sent at once. Each keeps one of the 50 connections to the object store for as long as its reader takes, who may be
 * anybody; the others are for users.
 */
export const MAX_DOWNLOADS = 20;

export const defineModels = (connection: Core['connection']) => ({
  shares: defineShareModel(connection),
});

interface Needs extends Pick<Core, 'redis' | 'now' | 'log'> {
  models: ReturnType<typeof defineModels>;
  config: Pick<Config, 'PUBLIC_URL' | 'PORT'>;
}

/** The object of this feature. */
export type SharesFeature = ReturnType<typeof createSharesFeature>;

export function createSharesFeature({ models, config, redis, now, log }: Needs, others: Others) {
  const shares = createShareStore(models.shares);
  return {
    shares,
    openings: createOpenings({ shares, now, log }),
    viewers: createViewers(redis, now),
    /** What live links show, read a moment ago: many pages read the same one. */
    live: new Map<string, { at: number; content: Promise<Content | null> }>(),
    /** Long conversations keep the process busy: what one user shows is read one after the other, and others are served in between. */
    reading: createSlots(Number.POSITIVE_INFINITY),
    downloads: createSlots(MAX_DOWNLOADS),
    baseUrl: publicUrl(config),
    newShareId: () => randomBytes(16).toString('base64url'),
    others,
    now,
  };
}
