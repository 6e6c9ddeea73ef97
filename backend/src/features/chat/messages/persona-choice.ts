import type { PersonaRef } from '../../../contract/reply-settings.ts';
import type { FilesSize } from '../../files/index.ts';

/** A persona that a reply may be written as. */
export interface ChosenPersona extends PersonaRef {
  /** Whether its knowledge has files. */
  hasFiles: boolean;
  /** What it adds to a prompt at most: its text in UTF-8 bytes, and the files of its knowledge that `messages` ask for. */
  measure: (messages: readonly string[]) => Promise<{ promptBytes: number; files: FilesSize }>;
  /** Of a fusion: those who answer in a panel, in their order; at least two. */
  members?: (PersonaRef & Pick<ChosenPersona, 'hasFiles'>)[];
  /** Only conversations of trials may have it. */
  isDraft?: boolean;
}

/** The personas of a user and the ready-made ones. */
export interface PersonaChoice {
  /** @returns null when there is none, or it belongs to another user */
  choose: (ownerId: string, id: string) => Promise<ChosenPersona | null>;
}
