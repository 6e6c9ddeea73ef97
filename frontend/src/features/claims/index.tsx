import type { ClaimsCheck, Message, Reply } from '@stolas/backend/contract';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';

export { closeClaims, NO_CLAIMS, useClaimsPlace } from './place.ts';

// What the first load of the chat needs is small; everything else is loaded when it is first shown.

const parts = () => import('./parts.ts');
const Marked = lazy(async () => ({ default: (await parts()).MarkedText }));
const Summary = lazy(async () => ({ default: (await parts()).Summary }));
const Panel = lazy(async () => ({ default: (await parts()).Panel }));
const Check = lazy(async () => ({ default: (await parts()).Check }));

interface ReplyTextProps {
  text: string;
  /** The start of the part in the reply, in UTF-16 code units. */
  start: number;
  check: ClaimsCheck;
  /** The text without marks, while their code is loaded. */
  fallback?: ReactNode;
}

/** The text of a reply with marks under its claims. */
export const ReplyText = ({ fallback, ...props }: ReplyTextProps) => (
  <Suspense fallback={fallback}>
    <Marked {...props} />
  </Suspense>
);

/** Below a reply: the result of the check of its claims, once there is one. */
export const ClaimsSummary = ({ reply }: { reply: Reply }) =>
  reply.metadata?.claims ? (
    <Suspense>
      <Summary reply={reply} check={reply.metadata.claims} />
    </Suspense>
  ) : null;

/** The list of the claims of a reply, beside the chat. */
export const ClaimsPanel = (props: ComponentProps<typeof Panel>) => (
  <Suspense>
    <Panel {...props} />
  </Suspense>
);

/** Whether messages bring files, pasted text or citations, which a reply can be checked against. */
export const hasSources = (messages: readonly Message[]): boolean =>
  messages.some(({ metadata: { files, pastes, citations } = {} }) =>
    [files, pastes, citations].some((list) => list && list.length > 0),
  );

/** Asks for a check of a complete reply that has none. The last button: it may come late. */
export const CheckButton = (props: { reply: Reply; hasSources: boolean }) =>
  props.reply.status === 'complete' ? (
    <Suspense>
      <Check {...props} />
    </Suspense>
  ) : null;
