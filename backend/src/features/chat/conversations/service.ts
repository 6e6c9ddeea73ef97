import { type Actor, requireAccess } from '../../../access/index.ts';
import { CONVERSATION_PAGE_SIZE, type Conversation } from '../../../contract/conversations.ts';
import type { MemoryMode } from '../../../contract/reply-settings.ts';
import { notFound } from '../../../errors.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { noPanel, replyInProgress } from './errors.ts';
import type {
  ConversationFilter,
  ConversationRecord,
  ConversationSettings,
  ConversationStore,
} from './model.ts';
import { listedFor, presentConversation } from './present.ts';

/** The queries on messages that selecting a branch needs. */
interface Branches<M> {
  find: (id: string, scope: Scope) => Promise<M | null>;
  newestLeafBelow: (message: M) => Promise<string>;
  activeReplyId: (scope: Scope) => Promise<string | null>;
}

interface Scope {
  conversationId: string;
  ownerId: string;
}

interface ServiceDeps<M> {
  conversations: ConversationStore;
  messages: Branches<M>;
  bus: Bus;
  /** The persona, when the user may have replies written as it; `members` are those of a fusion. */
  findPersona: (ownerId: string, id: string) => Promise<{ members?: readonly unknown[] } | null>;
  now: () => Date;
}

interface Changes extends ConversationSettings {
  title?: string | undefined;
  activeLeafId?: string | undefined;
}

/** Retries when another tab sends or selects a branch at the same time. */
const MAX_TRIES = 3;

/** What users do with conversations. A conversation of another user answers 404. */
export type ConversationService = ReturnType<typeof createConversationService>;

export function createConversationService<M>({
  conversations,
  messages,
  bus,
  findPersona,
  now,
}: ServiceDeps<M>) {
  const access = async (actor: Actor, id: string): Promise<ConversationRecord> =>
    requireAccess(actor, await conversations.find(id), 'conversation');

  /** Events are not waited for: a tab that misses one catches up. */
  const publish = (record: ConversationRecord): Conversation => {
    const conversation = presentConversation(record);
    for (const userId of listedFor(record))
      void bus.publish(userId, 'conversation:changed', conversation);
    return conversation;
  };

  const selectBranch = async (actor: Actor, id: string, messageId: string) => {
    const scope = { conversationId: id, ownerId: actor.userId };
    for (let tries = 1; ; tries += 1) {
      const [conversation, message, activeReplyId] = await Promise.all([
        access(actor, id),
        messages.find(messageId, scope),
        messages.activeReplyId(scope),
      ]);
      if (!message) throw notFound('message');
      if (activeReplyId || tries > MAX_TRIES) throw replyInProgress();
      const leafId = await messages.newestLeafBelow(message);
      const { ownerId, activeLeafId } = conversation;
      const moved = await conversations.moveLeaf({ id, ownerId, from: activeLeafId, to: leafId });
      if (moved) return moved;
    }
  };

  /** Checks the persona and the panel that are named. A persona that is named without a panel ends one. */
  const panelOf = async (
    { ownerId, personaId: present }: ConversationRecord,
    { personaId, panel }: Pick<Changes, 'personaId' | 'panel'>,
  ): Promise<Pick<Changes, 'panel'>> => {
    const id = personaId === undefined ? present : personaId;
    const persona = (personaId || panel) && id ? await findPersona(ownerId, id) : null;
    if (personaId && !persona) throw notFound('persona');
    if (panel && !persona?.members) throw noPanel();
    return personaId === undefined ? { panel } : { panel: panel ?? null };
  };

  return {
    /** A page of conversations, the last updated first. */
    list: async (actor: Actor, filter: ConversationFilter): Promise<Conversation[]> => {
      const page = { ...filter, limit: CONVERSATION_PAGE_SIZE };
      return (await conversations.page(actor.userId, page)).map(presentConversation);
    },

    /** The same `clientConversationId` returns the same conversation. @throws AppError not_found when that is deleted */
    create: async (
      actor: Actor,
      fields: {
        title: string;
        clientConversationId?: string | undefined;
        temporary?: boolean | undefined;
        trial?: boolean | undefined;
        memory?: MemoryMode | undefined;
      },
    ): Promise<Conversation> => {
      const created = await conversations.insert({ ...fields, ownerId: actor.userId, now: now() });
      if (created.isDeleted) throw notFound('conversation');
      return publish(created);
    },

    /**
     * Renames a conversation, changes the settings of its next replies, or shows another branch of it: `activeLeafId` is any
     * message of the conversation, and the newest leaf below it becomes the active one.
     * @throws AppError not_found, also for a persona; invalid_field for a panel of one; reply_in_progress for a branch while a
     *   reply runs
     */
    update: async (
      actor: Actor,
      id: string,
      { activeLeafId, ...changes }: Changes,
    ): Promise<Conversation> => {
      let conversation = await access(actor, id);
      const { ownerId } = conversation;
      const panel = await panelOf(conversation, changes);
      if (activeLeafId !== undefined) conversation = await selectBranch(actor, id, activeLeafId);
      if (Object.values(changes).some((value) => value !== undefined)) {
        const changed = await conversations.change({ id, ownerId }, { ...changes, ...panel });
        if (!changed) throw notFound('conversation');
        conversation = changed;
      }
      return publish(conversation);
    },
  };
}
