import { t } from 'virtual:texts/chat';
import type { MessageFile, UserMessage } from '@stolas/backend/contract';
import { create } from 'zustand';
import { signedInUser } from '../../../lib/query-client.ts';
import { randomUuid } from '../../../lib/uuid.ts';
import { live } from '../../../realtime/index.ts';
import { toast } from '../../../ui/toast-store.ts';
import { endSession } from '../../auth/index.ts';
import { postMessage } from '../api.ts';
import { isSendable } from '../sending/drafts.ts';
import { pinMessage } from '../sending/pinned.ts';
import { sentFilesOf } from '../sending/post.ts';
import {
  describeSendError,
  failureOf,
  type SendProblem,
  showSlow,
} from '../sending/send-errors.ts';

/** A user message that is being edited. It is kept here, so that it survives scrolling out of the list. */
export interface Edit {
  text: string;
  /** The id under which exactly this text was sent before: sending it again creates no second message. */
  clientMessageId?: string;
  isSending?: boolean;
  problem?: SendProblem;
}

/** By the id of the message. */
export const useEdits = create<Readonly<Record<string, Edit>>>(() => ({}));

export const useEdit = (messageId: string): Edit | undefined =>
  useEdits((edits) => edits[messageId]);

export const writeEdit = (messageId: string, edit: Edit): void =>
  useEdits.setState({ [messageId]: edit });

export const endEdit = (messageId: string): void =>
  useEdits.setState(({ [messageId]: _ended, ...others }) => others, true);

/** Ends the edit that was accepted as a message, as the socket or the answer reports. */
export function endAcceptedEdit(clientMessageId: string | undefined): void {
  const edits = Object.entries(useEdits.getState());
  const found = edits.find(
    ([, edit]) => clientMessageId && edit.clientMessageId === clientMessageId,
  );
  if (found) endEdit(found[0]);
}

/**
 * Sends an edited message with these of its files: a sibling of the original. The text stays in the editor until the server has accepted it.
 * @returns whether it has.
 */
export async function sendEdit(
  { id, conversationId, parentId }: UserMessage,
  files: readonly MessageFile[],
): Promise<boolean> {
  const edit = useEdits.getState()[id];
  const user = signedInUser();
  if (!user || !edit || edit.isSending || !isSendable(edit.text)) return false;
  const { text: content, clientMessageId = randomUuid() } = edit;
  writeEdit(id, { text: content, clientMessageId, isSending: true });
  pinMessage(clientMessageId);
  try {
    const body = { content, clientMessageId, parentId };
    const naming = files.length > 0 && { files: sentFilesOf(files) };
    live.addSent(await postMessage(conversationId, { ...body, ...naming }));
    endAcceptedEdit(clientMessageId);
    toast({ title: t('messageSent') });
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === 'signedOut') await endSession();
    // The socket may have reported it as accepted before the answer failed.
    if (useEdits.getState()[id]?.clientMessageId !== clientMessageId) return true;
    if (failure === 'unconfirmed') showSlow();
    writeEdit(id, { text: content, clientMessageId, problem: describeSendError(error, user) });
    return false;
  }
}
