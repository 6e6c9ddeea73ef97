import { t } from 'virtual:texts/chat';
import { type Conversation, mayChat, type User, type Workspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { formatShortDay } from '../../../lib/time.ts';
import { knownPools, usePools } from '../../workspaces/index.ts';
import { payerQuery } from '../api.ts';
import { isNewChat, useConversationPart } from '../use-conversation.ts';
import { useNewChoices } from './choices.ts';
import { type UsedUp, usedUpOf } from './quota.ts';

/** Who pays for the next message of a conversation. */
export interface Paying {
  /** Absent: the user's own plan. */
  workspace?: Workspace;
  /** The name of the owner of the conversation who pays. */
  owner?: string;
  /** The workspaces among which the user chooses for a new conversation. */
  choices: readonly Workspace[];
  /** Why nothing can be sent. */
  usedUp?: UsedUp | 'pool' | 'poolCap' | 'poolClosed' | undefined;
}

export function usePaying(user: User, conversationId: string): Paying {
  const workspaceId = useConversationPart(conversationId, (it) => it.workspaceId);
  const offer = useOffer(conversationId);
  const chosen = useNewChoices().workspaceId;
  const pools = usePools(user);
  const isNew = isNewChat(conversationId);
  const choices = isNew && pools ? pools.filter(({ closed }) => !closed) : [];
  const id = isNew ? workspaceOfNew(user, chosen, choices) : workspaceId;
  if (offer) return { choices: [], ...offer };
  const workspace = pools?.find((pool) => pool.id === id);
  if (workspace) return { workspace, choices, usedUp: usedUpOfPool(workspace) };
  // A workspace that is still being read may pay.
  const mayFollow = !pools && (workspaceId !== undefined || user.hasPool);
  return { choices, usedUp: mayFollow ? undefined : usedUpOf(user) };
}

/** The owner of the conversation who pays, without a name until that is known; undefined when the owner does not. */
function useOffer(conversationId: string): Pick<Paying, 'owner'> | undefined {
  const offered = useConversationPart(conversationId, offeredIn);
  const query = payerQuery(offered ?? NONE);
  const { data, isError } = useQuery({ ...query, enabled: offered !== undefined });
  if (!offered || isError || (data && data.by !== 'owner')) return undefined;
  return data ? { owner: offered.shared?.owner.name ?? '' } : {};
}

/** The conversation, when its owner may pay for those who write in it. */
const offeredIn = (conversation: Conversation): Conversation | undefined =>
  conversation.ownerPays !== undefined &&
  ['editor', 'manager'].includes(conversation.shared?.role ?? '')
    ? conversation
    : undefined;

const NONE = { id: '', updatedAt: '' } as Conversation;

/** The workspace that pays for a new conversation: the chosen one, and without a plan of the user the first one. */
function workspaceOfNew(
  user: User,
  chosen: string | null | undefined,
  pools: readonly Workspace[],
): string | undefined {
  if (chosen !== undefined && (chosen === null || pools.some(({ id }) => id === chosen)))
    return chosen ?? undefined;
  return mayChat(user) ? undefined : pools[0]?.id;
}

/** As `workspaceOfNew`, for a send. */
export const payerOfNew = (user: User, chosen: string | null | undefined): string | undefined =>
  workspaceOfNew(
    user,
    chosen,
    knownPools().filter(({ closed }) => !closed),
  );

function usedUpOfPool({ closed, pool }: Workspace): Paying['usedUp'] {
  if (closed) return 'poolClosed';
  return pool.usedUp === 'cap' ? 'poolCap' : (pool.usedUp ?? undefined);
}

/** 'The workspace's tokens are used up until Dec 1.' */
export function describePoolUsedUp(isCap: boolean, resetsAt: string | null): string {
  const day = resetsAt && formatShortDay(resetsAt);
  if (day) return t(isCap ? 'poolCapUsedUpUntil' : 'poolUsedUpUntil', { day });
  return t(isCap ? 'poolCapUsedUp' : 'poolUsedUp');
}
