import type { Actor } from '../../../access/index.ts';
import type { Person } from '../../../contract/access.ts';
import { MAX_MENTIONABLE } from '../../../contract/limits.ts';
import { fold } from '../../../text/fold.ts';
import { audienceOf } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import type { ConversationRecord } from './model.ts';
import { openConversation } from './open.ts';

type Shared = Pick<ConversationRecord, 'ownerId' | 'grants'>;

/** Whom a message in the conversation may name: those who write in it learn who reads it. None when they are too many. @throws AppError */
export async function readPeople(
  chat: ChatFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<{ people: Person[] }> {
  const conversation = await openConversation(chat, actor, { id, action: 'write' });
  const people = await peopleIn(chat, conversation);
  return { people: people.filter((person) => person.id !== actor.userId) };
}

/** The members of a shared conversation whom a text names, without its author. */
export async function mentionedIn(
  chat: Pick<ChatFeature, 'conversations' | 'others'>,
  {
    conversationId: id,
    ownerId,
    authorId,
  }: { conversationId: string } & Record<'ownerId' | 'authorId', string>,
  text: string,
): Promise<string[]> {
  if (!text.includes('@')) return [];
  const conversation = await chat.conversations.find({ id, ownerId });
  if (!conversation) return [];
  const named = findMentions(text, await peopleIn(chat, conversation));
  return named.filter((userId) => userId !== authorId);
}

async function peopleIn(
  chat: Pick<ChatFeature, 'others'>,
  conversation: Shared,
): Promise<Person[]> {
  if (conversation.grants.length === 0) return [];
  const userIds = [...(await audienceOf(chat, conversation)).keys()];
  if (userIds.length > MAX_MENTIONABLE) return [];
  const nameOf = await chat.others.workspaces.names({ userIds });
  return userIds.map((id) => ({ id, name: nameOf(id) }));
}

/** A letter of names: those that go on with it, and the people whose name ends here. */
interface Letter {
  next: Map<string, Letter>;
  ids: string[];
}

/**
 * The ids of the people whose names stand behind an @, the longest name first: `@Ann Lee` names nobody called Ann. A text is read once, and
 * at each @ no further than the longest name.
 */
export function findMentions(text: string, people: readonly Person[]): string[] {
  const names = treeOf(people);
  // oxlint-disable-next-line typescript/no-misused-spread -- names are compared by code points
  const letters = [...fold(text)];
  const found = new Set<string>();
  for (const [at, letter] of letters.entries()) {
    // Not in an address.
    if (letter !== '@' || isWord(letters[at - 1])) continue;
    for (const id of longestAt(letters, at + 1, names)) found.add(id);
  }
  return [...found];
}

function treeOf(people: readonly Person[]): Letter {
  const root: Letter = { next: new Map(), ids: [] };
  for (const { id, name } of people) {
    let place = root;
    for (const letter of fold(name.trim())) {
      const next = place.next.get(letter) ?? { next: new Map(), ids: [] };
      place.next.set(letter, next);
      place = next;
    }
    if (place !== root) place.ids.push(id);
  }
  return root;
}

function longestAt(letters: readonly string[], from: number, names: Letter): readonly string[] {
  let longest: readonly string[] = [];
  let place = names.next.get(letters[from] ?? '');
  for (let at = from; place; ) {
    at += 1;
    if (place.ids.length > 0 && !isWord(letters[at])) longest = place.ids;
    place = place.next.get(letters[at] ?? '');
  }
  return longest;
}

const isWord = (letter: string | undefined): boolean =>
  letter !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(letter);
