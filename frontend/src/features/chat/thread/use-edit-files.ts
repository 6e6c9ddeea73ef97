import type { MessageFile, UserMessage } from '@stolas/backend/contract';
import { useQueries } from '@tanstack/react-query';
import { fileQuery, isUsable } from '../../files/index.ts';
import { useIsOwn } from '../role.ts';

interface EditFiles {
  /** The files that the edited message names again. */
  files: MessageFile[];
  /** Those that the server would refuse. */
  leftOut: MessageFile[];
  /** Whether it is not known yet which are left. */
  isReading: boolean;
}

/**
 * The files of a message that is edited. Only the owner of a conversation may attach files, and only those that exist and that the user may
 * use; of an imported message there are only the names.
 */
export function useEditFiles({ conversationId, metadata }: UserMessage): EditFiles {
  const mayAttach = useIsOwn(conversationId);
  const named = metadata?.files ?? [];
  const found = useQueries({
    queries: named.map(({ id = '' }) => ({
      ...fileQuery(id),
      enabled: mayAttach && id !== '',
    })),
  });
  // A file that could not be looked up is named: the server decides.
  const isKept = ({ id }: MessageFile, i: number) =>
    mayAttach && id !== undefined && isUsable(found[i]?.data);
  return {
    files: named.filter(isKept),
    leftOut: named.filter((file, i) => !isKept(file, i)),
    isReading: found.some(({ isLoading }) => isLoading),
  };
}
