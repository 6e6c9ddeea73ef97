import type { RequestStep } from '../chat/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';

/** A message on the path to a reply. */
interface PathMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  metadata?: { files?: { id?: string }[]; pastes?: { start: number; end: number }[] };
}

/** What checks need of other features. */
export interface Others {
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  files: Pick<FilesService, 'evidenceFor' | 'findMany'>;
  chat: {
    requestStep: RequestStep;
    messages: {
      path: (end: {
        conversationId: string;
        leafId: string;
        limit: number;
      }) => Promise<PathMessage[]>;
    };
  };
}

/** The object of this feature. It stores only metadata of replies. */
export type ClaimsFeature = ReturnType<typeof createClaimsFeature>;

export const createClaimsFeature = ({ now }: Pick<Core, 'now'>, others: Others) => ({
  others,
  now,
});
