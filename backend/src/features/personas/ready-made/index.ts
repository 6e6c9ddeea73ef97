import type * as z from 'zod';
import { PersonaFields } from '../../../contract/personas.ts';
import { ownEntry } from '../../../text/own-entry.ts';
import type { PersonaRecord } from '../model.ts';
import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';

const START = new Date('2026-11-01T00:00:00.000Z');

/** Raise `version` when a text changes. */
const recordsOf = (
  written: readonly z.input<typeof PersonaFields>[],
  firstId: number,
): readonly PersonaRecord[] =>
  written.map((fields, at) => ({
    ...PersonaFields.parse(fields),
    id: (firstId + at).toString(16).padStart(24, '0'),
    ownerId: null,
    version: 1,
    hasCard: false,
    createdAt: START,
    updatedAt: START,
  }));

const BY_LANGUAGE: Readonly<Record<string, readonly PersonaRecord[]>> = {
  en: recordsOf(ENGLISH, 1),
  de: recordsOf(GERMAN, 0x101),
};

/** The personas of every user, in all languages. */
export const READY_MADE: readonly PersonaRecord[] = Object.values(BY_LANGUAGE).flat();

/** The personas of one language; the English ones for a language without any. */
export const readyMadeIn = (language: string): readonly PersonaRecord[] =>
  ownEntry(BY_LANGUAGE, language) ?? BY_LANGUAGE.en ?? [];
