import type { Message, Reply } from '@stolas/backend/contract';
import { lazyPart } from '../../ui/lazy-part.tsx';

export { closeClaims, NO_CLAIMS, useClaimsPlace } from './place.ts';

// What the first load of the chat needs is small; everything else is loaded when it is first shown.

const parts = () => import('./parts.ts');
const Summary = lazyPart(async () => (await parts()).Summary);
const Check = lazyPart(async () => (await parts()).Check);

/** The text of a reply with marks under its claims; its fallback is the text without them. */
export const ReplyText = lazyPart(async () => (await parts()).MarkedText, { missing: 'fallback' });

/** Below a reply: the result of the check of its claims, once there is one. */
export const ClaimsSummary = ({ reply }: { reply: Reply }) =>
  reply.metadata?.claims ? <Summary reply={reply} check={reply.metadata.claims} /> : null;

/** The list of the claims of a reply, beside the chat. */
export const ClaimsPanel = lazyPart(async () => (await parts()).Panel);

/** Whether messages bring files, pasted text or citations, which a reply can be checked against. */
export const hasSources = (messages: readonly Message[]): boolean =>
  messages.some(({ metadata: { files, pastes, citations } = {} }) =>
    [files, pastes, citations].some((list) => list && list.length > 0),
  );

/** Asks for a check of a complete reply that has none. The last button: it may come late. */
export const CheckButton = (props: { reply: Reply; hasSources: boolean }) =>
  props.reply.status === 'complete' ? <Check {...props} /> : null;
