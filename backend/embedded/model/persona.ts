import type { Language } from './language.ts';
import { PHRASES } from './phrases.ts';

/** The persona that a prompt names. */
export interface PromptPersona {
  name: string;
  tone: string[];
}

const NAME = /^In this conversation you are “(.+)”\.$/m;
const TONE = /^Tone:\n((?:- .*\n?)+)/m;

/** @param prompt the system messages */
export function personaIn(prompt: string): PromptPersona | null {
  const [, name] = NAME.exec(prompt) ?? [];
  if (name === undefined) return null;
  const [, tone = ''] = TONE.exec(prompt) ?? [];
  const words = tone.split('\n').map((line) => line.slice(2).trim());
  return { name, tone: words.filter((word) => word !== '') };
}

/** The beginning of an answer as the persona. */
export const introduction = ({ name, tone }: PromptPersona, language: Language): string =>
  PHRASES[language].answers(name, tone);

/** The panel that a prompt is part of. */
export interface PromptPanel {
  /** The names of its members, as listed in the prompt. */
  names: string;
  /** Whether all members have answered. */
  isClosed: boolean;
}

const MEMBER =
  /^You are one member of a panel whose members answer the same message in turn: (.+?)\. /m;
const SYNTHESIS = /^A panel has answered the message in turn: (.+?)\. Close it/m;

/** @param prompt the system messages */
export function panelIn(prompt: string): PromptPanel | null {
  const [, closed] = SYNTHESIS.exec(prompt) ?? [];
  const [, open] = MEMBER.exec(prompt) ?? [];
  const names = closed ?? open;
  return names === undefined ? null : { names, isClosed: closed !== undefined };
}
