import type { Conversation } from '@stolas/backend/contract';

interface View {
  stars: ReadonlySet<string>;
  search: string;
}

/** Titles that contain the search, starred ones first, then the newest (specification section 2). */
export function arrange(
  conversations: readonly Conversation[],
  { stars, search }: View,
): Conversation[] {
  const wanted = search.trim().toLocaleLowerCase();
  return conversations
    .filter(({ title }) => title.toLocaleLowerCase().includes(wanted))
    .toSorted(
      (a, b) =>
        Number(stars.has(b.id)) - Number(stars.has(a.id)) || b.updatedAt.localeCompare(a.updatedAt),
    );
}
