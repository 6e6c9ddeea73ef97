import type { PersonaRef } from '../../../contract/reply-settings.ts';
import type { FilesSize } from '../../files/index.ts';

/** A persona for a reply. */
export interface ChosenPersona extends PersonaRef {
  /** Whether its knowledge has files. */
  hasFiles: boolean;
  /** The maximum size of its prompt text in UTF-8 bytes, and the files of its knowledge that `messages` ask for. */
  measure: (messages: readonly string[]) => Promise<{ promptBytes: number; files: FilesSize }>;
  /** Of a fusion: the members of a panel, in order; at least two. */
  members?: (PersonaRef & Pick<ChosenPersona, 'hasFiles'>)[];
  /** Valid only in conversations of trials. */
  isDraft?: boolean;
}

/** The personas of a user and the ready-made ones. */
export interface PersonaChoice {
  /** @returns null when there is none, or it belongs to another user */
  choose: (ownerId: string, id: string) => Promise<ChosenPersona | null>;
}
