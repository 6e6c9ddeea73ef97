import { useQuery } from '@tanstack/react-query';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { estimateReplies } from './api.ts';
import type { Participant } from './subjects.ts';

const DELAY_MS = 300;

/** The tokens that sending the message to all subjects reserves; undefined until known. */
export function useCost(
  message: string,
  participants: readonly Participant[] | undefined,
): number | undefined {
  const content = useDelayed(message, DELAY_MS);
  const personaIds = participants?.map(({ personaId }) => personaId) ?? [];
  const { data } = useQuery({
    queryKey: ['trial-cost', content, personaIds],
    queryFn: ({ signal }) => estimateReplies({ content, personaIds }, signal),
    enabled: content !== '' && personaIds.length > 0,
    gcTime: 0,
  });
  return content === message
    ? data?.reduce((sum, it) => sum + it.promptTokens + it.replyTokens, 0)
    : undefined;
}
