import type { Presence, PresentPerson } from '@stolas/backend/contract';
import { create } from 'zustand';

/** Who has the shared conversations open that this tab shows, as the server told last; never stored. */
const usePresence = create<Readonly<Record<string, Presence>>>(() => ({}));

export const notePresence = (presence: Presence): void =>
  usePresence.setState({ [presence.conversationId]: presence });

export const presenceOf = (conversationId: string): Presence | undefined =>
  usePresence.getState()[conversationId];

/** The tab no longer hears who is there. */
export function forgetPresence(conversationId: string): void {
  if (!presenceOf(conversationId)) return;
  const { [conversationId]: _forgotten, ...others } = usePresence.getState();
  usePresence.setState(others, true);
}

export const forgetAllPresence = (): void => usePresence.setState({}, true);

/** The others who have the conversation open, with the number of all of them. Undefined until the server has told. */
export function useOthers(
  conversationId: string,
  userId: string,
): { people: PresentPerson[]; count: number } | undefined {
  const presence = usePresence((all) => all[conversationId]);
  if (!presence) return undefined;
  const people = presence.users.filter(({ id }) => id !== userId);
  return { people, count: Math.max(people.length, presence.count - 1) };
}
