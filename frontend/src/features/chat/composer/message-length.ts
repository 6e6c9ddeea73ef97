import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';

/** From here on the composer counts. */
const COUNTED_FROM = 0.9 * MAX_MESSAGE_LENGTH;

/** Whether the server would take the text as a message. */
export const isSendable = (text: string): boolean => text.trim() !== '' && !isTooLong(text);

export const isTooLong = (text: string): boolean => text.length > MAX_MESSAGE_LENGTH;

/** A sentence about the length of a text; undefined while it is well below the limit. */
export function describeLength({ length }: string): string | undefined {
  if (length > MAX_MESSAGE_LENGTH) {
    const excess = length - MAX_MESSAGE_LENGTH;
    return `This message is ${count(excess)} too long to send. Shorten it, or send it in parts of at most ${count(MAX_MESSAGE_LENGTH)}.`;
  }
  return length > COUNTED_FROM
    ? `${length.toLocaleString('en')} of ${count(MAX_MESSAGE_LENGTH)}`
    : undefined;
}

const count = (characters: number): string =>
  `${characters.toLocaleString('en')} ${characters === 1 ? 'character' : 'characters'}`;
