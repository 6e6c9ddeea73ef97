import { isActive, type Message, type Reply, type User } from '@stolas/backend/contract';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { leftOf } from '../sending/quota.ts';

const MessageCost = lazyPart(async () => (await import('./message-cost.tsx')).MessageCost);

/** A message that costs a smaller share of the user's tokens is not worth a line. */
const MIN_SHARE = 0.03;
/** Nearly every token has at least this many characters, so a shorter conversation cannot cost as much. */
const CHARACTERS_PER_TOKEN = 2;

interface LongConversationProps {
  user: User;
  /** Whether the user's own plan pays for the next message. */
  usesOwnPlan: boolean;
  messages: readonly Message[];
  /** Whether a message is being sent or a reply generated here. */
  isBusy: boolean;
}

/** Above the composer of a long conversation: what a message in it costs, and a new chat that goes on from a summary. */
export function LongConversation({ user, usesOwnPlan, messages, isBusy }: LongConversationProps) {
  const reply = messages.findLast(hasEnded);
  const quota = leftOf(user);
  const minTokens = (quota?.limit ?? 0) * MIN_SHARE;
  if (!reply || !quota || promptTokens(messages, reply) < minTokens) return null;
  if (usesOwnPlan && quota.left <= 0) return null;
  const messagesLeft = user.demo?.messagesLeft ?? Number.POSITIVE_INFINITY;
  return (
    <MessageCost
      user={user}
      reply={reply}
      minTokens={minTokens}
      left={usesOwnPlan ? { tokens: quota.left, messages: messagesLeft } : undefined}
      isBusy={isBusy}
    />
  );
}

const hasEnded = (message: Message): message is Reply =>
  message.role === 'assistant' && !isActive(message.status);

/** An upper bound for the tokens of the next prompt. A prompt of only the conversation has no receipt. */
function promptTokens(messages: readonly Message[], { metadata }: Reply): number {
  const length = messages.reduce((sum, { content }) => sum + content.length, 0);
  const ownTokens = length / CHARACTERS_PER_TOKEN;
  const { parts } = metadata?.contextReceipt ?? {};
  if (!parts) return ownTokens;
  // The prompt of a summary includes messages of the other conversation, which the next prompt lacks.
  const mostHistory = messages[0]?.parentId === null ? ownTokens : Number.POSITIVE_INFINITY;
  return parts.reduce(
    (sum, { part, tokens }) => sum + (part === 'history' ? Math.min(tokens, mostHistory) : tokens),
    0,
  );
}
