import { t } from 'virtual:texts/reachMessage';
import type { Message } from '@stolas/backend/contract';
import { ApiError, isGone } from '../../../lib/api.ts';
import { live } from '../../../realtime/index.ts';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { loadedMessages, readMessagesAbove } from '../api.ts';
import { showBranch } from '../show-branch.ts';

/** Large pages need fewer calls to reach a message. */
const PAGE_SIZE = 200;
const MAX_PAGES = 250;

interface Wanted {
  conversationId: string;
  messageId: string;
  signal: AbortSignal;
}

type Place = 'here' | 'on another branch' | 'gone';

/**
 * Loads the pages of a conversation up to a message; when it is on another branch, that one becomes the active one.
 * @returns whether the message is loaded; when it is not, a notice says why
 */
export async function reachMessage(wanted: Wanted): Promise<boolean> {
  try {
    let place = await loadUpTo(wanted);
    if (place === 'on another branch') {
      await showBranch(wanted.conversationId, wanted.messageId);
      place = await loadUpTo(wanted);
    }
    if (place !== 'here') showGone();
    return place === 'here';
  } catch (error) {
    if (!wanted.signal.aborted) showFailure(error);
    return false;
  }
}

const loaded = (conversationId: string): readonly Message[] => loadedMessages(conversationId) ?? [];

const has = (messages: readonly Message[], messageId: string): boolean =>
  messages.some(({ id }) => id === messageId);

async function loadUpTo({ conversationId, messageId, signal }: Wanted): Promise<Place> {
  const held = loaded(conversationId);
  const [first] = held;
  if (!first || has(held, messageId)) return first ? 'here' : 'gone';
  // If the message does not exist, the one above it cannot be read either.
  await readMessagesAbove(conversationId, messageId, { limit: 1, signal });
  let above: readonly Message[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const top = above[0] ?? first;
    const known = above.length > 0 ? above : held;
    if (known.some(({ siblingIds }) => siblingIds.includes(messageId))) return 'on another branch';
    if (top.parentId === null) return 'on another branch';
    const page = await readMessagesAbove(conversationId, top.id, { limit: PAGE_SIZE, signal });
    above = [...page, ...above];
    if (!has(page, messageId)) continue;
    // All at once: the thread is drawn once, not for each page.
    live.prepend(conversationId, first.id, above);
    // The reader may have loaded a page meanwhile: then the rest is read again.
    return has(loaded(conversationId), messageId)
      ? 'here'
      : loadUpTo({ conversationId, messageId, signal });
  }
  return 'gone';
}

const showGone = () => void toast({ title: t('goneTitle'), description: t('goneText') });

function showFailure(error: unknown): void {
  if (isGone(error)) showGone();
  else if (error instanceof ApiError && error.body?.code === 'reply_in_progress')
    toast({ title: t('otherVersionTitle'), description: t('otherVersionText') });
  else toastError(t('failedTitle'), t('failedText'));
}
