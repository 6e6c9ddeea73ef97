import type {
  CreatedConversation,
  DraftPersonaBody,
  EstimateRepliesBody,
  Message,
  PersonaDraft,
  ReplyEstimate,
  ReplyState,
} from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiDelete, apiPost } from '../../../lib/api.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { getNumbered, live, messagesKey } from '../../../realtime/index.ts';

export const draftPersona = (body: DraftPersonaBody, signal: AbortSignal) =>
  apiPost<PersonaDraft>('/api/personas/drafts', body, { signal });

export const estimateReplies = (body: EstimateRepliesBody, signal: AbortSignal) =>
  apiPost<ReplyEstimate[]>('/api/conversations/estimate', body, { signal });

/** One reply of a trial. */
export interface TrialSend {
  personaId: string;
  content: string;
  /** UUIDs: a repeated request sends nothing new. */
  clientConversationId: string;
  clientMessageId: string;
}

/** Sends the message in a conversation that no list shows. */
export const sendTrial = ({ clientConversationId, ...message }: TrialSend) =>
  apiPost<CreatedConversation>('/api/conversations', {
    title: deriveTitle(message.content),
    trial: true,
    clientConversationId,
    message,
  });

export const trialMessagesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: messagesKey(conversationId),
    queryFn: (read) =>
      live.read(conversationId, () =>
        getNumbered<Message[]>(`/api/conversations/${conversationId}/messages`, read),
      ),
    gcTime: 0,
  });

export const stopTrial = (replyId: string) => apiPost<ReplyState>(`/api/replies/${replyId}/stop`);

/** Ends the reply if it runs, and erases it. */
export const removeTrial = (conversationId: string) =>
  apiDelete(`/api/conversations/${conversationId}`);
