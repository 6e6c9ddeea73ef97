import type { Conversation } from '@stolas/backend/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { conversationsByIdQuery } from '../../../realtime/index.ts';

/** The titles of conversations by their ids; undefined while they are read. Deleted conversations are left out. */
export function useTitles(ids: readonly string[]): ReadonlyMap<string, string> | undefined {
  const wanted = [...new Set(ids)].toSorted();
  const { data } = useQuery({
    ...conversationsByIdQuery(wanted),
    placeholderData: keepPreviousData,
  });
  if (wanted.length === 0) return NONE;
  return data && new Map(data.pages.flatMap((page) => page.conversations).map(entryOf));
}

const NONE: ReadonlyMap<string, string> = new Map();
const entryOf = ({ id, title }: Conversation): [string, string] => [id, title];
