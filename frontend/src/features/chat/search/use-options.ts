import { useInfiniteQuery } from '@tanstack/react-query';
import { MessageSquare, MessagesSquare } from 'lucide-react';
import { createElement, type ReactNode } from 'react';
import { formatRecent } from '../../../lib/time.ts';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { contains } from '../../../realtime/index.ts';
import { conversationsQuery, titlesQuery } from '../api.ts';
import { select } from '../selection.ts';
import { type Command, useCommands } from './commands.ts';
import { searchQuery, useFound } from './search-query.ts';
import { Snippet } from './snippet.tsx';
import { showMessage } from './target.ts';

const DELAY_MS = 200;
/** Conversations and messages that are shown; the sidebar lists all. */
const MAX_CONVERSATIONS = 6;
const MAX_MESSAGES = 8;

/** A line of the command menu. */
export interface MenuOption extends Omit<Command, 'name'> {
  label: ReactNode;
  /** A second, smaller line. */
  detail?: string;
  /** At the end of the line. */
  hint?: string;
}

interface OptionGroup {
  name: 'conversations' | 'messages' | 'here' | 'commands';
  options: MenuOption[];
}

interface Options {
  /** Without empty ones. */
  groups: OptionGroup[];
  isSearching: boolean;
  /** The server did not answer a search. */
  isFailed: boolean;
  retry: () => void;
}

const optionOf = ({ id, name, ...command }: Command): MenuOption => ({
  ...command,
  id: `command-${id}`,
  label: name,
});

/** The entries of the command menu for a search: conversations by title, messages by text, commands by name. */
export function useOptions(search: string): Options {
  const wanted = search.trim();
  const asked = useDelayed(wanted, DELAY_MS);
  const recent = useInfiniteQuery(conversationsQuery());
  const titles = useInfiniteQuery(titlesQuery(asked));
  const messages = useInfiniteQuery(searchQuery(asked));
  const { here, everywhere } = useCommands(search);

  const known = [recent.data, wanted === '' ? undefined : titles.data].flatMap(
    (data) => data?.pages.flatMap(({ conversations }) => conversations) ?? [],
  );
  const conversations = [...new Map(known.map((one) => [one.id, one])).values()]
    .filter(({ title }) => contains(title, wanted))
    .slice(0, MAX_CONVERSATIONS)
    .map(
      ({ id, title, updatedAt }): MenuOption => ({
        id: `conversation-${id}`,
        icon: MessagesSquare,
        label: title,
        hint: formatRecent(updatedAt),
        run: () => select(id),
      }),
    );
  const found = useFound(wanted === '' ? undefined : messages.data?.pages) ?? [];
  const groups: OptionGroup[] = [
    { name: 'conversations', options: conversations },
    {
      name: 'messages',
      options: found.slice(0, MAX_MESSAGES).map((result) => ({
        id: `message-${result.messageId}`,
        icon: MessageSquare,
        label: createElement(Snippet, { result }),
        detail: result.title,
        run: () => showMessage(result.conversationId, result.messageId),
      })),
    },
    { name: 'here', options: here.map(optionOf) },
    { name: 'commands', options: everywhere.map(optionOf) },
  ];
  return {
    groups: groups.filter(({ options }) => options.length > 0),
    isSearching: wanted !== '' && (asked !== wanted || titles.isFetching || messages.isFetching),
    isFailed: wanted !== '' && (titles.isError || messages.isError),
    retry: () => void Promise.all([titles.refetch(), messages.refetch()]),
  };
}
