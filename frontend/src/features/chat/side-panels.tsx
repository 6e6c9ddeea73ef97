import { useQuery } from '@tanstack/react-query';
import { ClaimsPanel, closeClaims, useClaimsPlace } from '../claims/index.tsx';
import { FileViewer, useFilePlace } from '../files/index.ts';
import { messagesQuery } from './api.ts';
import { OpenArtifact } from './artifacts/lazy.tsx';

/** The panel beside the chat by the address: a file, else the claims of a reply, else an artifact. */
export function SidePanels({ selection }: { selection: string | null }) {
  const file = useFilePlace();
  const replyId = useClaimsPlace();
  const claims = selection !== null && replyId !== null && (
    <OpenClaims conversationId={selection} replyId={replyId} />
  );
  if (file && claims) {
    return <FileViewer place={file} onClose={closeClaims} backTo="claims" fallback={claims} />;
  }
  if (file) return <FileViewer place={file} />;
  if (claims) return claims;
  return selection !== null && <OpenArtifact conversationId={selection} />;
}

function OpenClaims({ conversationId, replyId }: { conversationId: string; replyId: string }) {
  const { data: messages, isPending } = useQuery(messagesQuery(conversationId));
  const reply = messages?.find(({ id }) => id === replyId);
  return <ClaimsPanel replyId={replyId} check={reply?.metadata?.claims} isPending={isPending} />;
}
