import { t } from 'virtual:texts/conversationActions';
import { MESSAGE_PAGE_LIMIT } from '@stolas/backend/contract';
import { usePrinting } from '../../../lib/printing.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { loadEarlierMessages, loadedMessages, messagesQuery } from '../api.ts';
import { select, selected } from '../selection.ts';

/** Once the page has not changed for this long, code is highlighted and formulas are typeset. */
const SETTLED_MS = 200;
/** A diagram that is not drawn within this time after the previous one prints as code. */
const MAX_WAIT_MS = 10_000;
const DRAWING = '[data-messages] [data-drawing]';

/** Opens a conversation, loads all messages of its active branch, and prints it. */
export async function printConversation(conversationId: string): Promise<void> {
  if (selected() !== conversationId) select(conversationId);
  try {
    await loadAll(conversationId);
  } catch {
    toastError(t('printFailedTitle'), t('printFailedText'));
    return;
  }
  usePrinting.setState({ isPrinting: true, isPrepared: true });
  await settled();
  if (selected() === conversationId) window.print();
  usePrinting.setState({ isPrinting: false, isPrepared: false });
}

async function loadAll(conversationId: string): Promise<void> {
  await queryClient.ensureQueryData(messagesQuery(conversationId));
  for (let [first] = loadedMessages(conversationId) ?? []; first?.parentId; ) {
    await loadEarlierMessages(conversationId, first.id, MESSAGE_PAGE_LIMIT);
    const [next] = loadedMessages(conversationId) ?? [];
    // Another branch is shown by now, or another read has finished first.
    if (next?.id === first.id) throw new Error('The earlier messages were not loaded.');
    first = next;
  }
}

/** Resolves once the page no longer changes and its diagrams are drawn, or when none of them is drawn for `MAX_WAIT_MS`. */
async function settled(): Promise<void> {
  await document.fonts?.ready;
  await new Promise<void>((resolve) => {
    const end = () => {
      observer.disconnect();
      clearTimeout(timer);
      clearTimeout(limit);
      resolve();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let limit: ReturnType<typeof setTimeout> | undefined;
    let left = Number.POSITIVE_INFINITY;
    const waitAnew = () => {
      clearTimeout(timer);
      const drawing = document.querySelectorAll(DRAWING).length;
      if (drawing === 0) timer = setTimeout(end, SETTLED_MS);
      if (drawing < left) {
        clearTimeout(limit);
        limit = setTimeout(end, MAX_WAIT_MS);
      }
      left = drawing;
    };
    const observer = new MutationObserver(waitAnew);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributeFilter: ['data-drawing'],
    });
    waitAnew();
  });
}
