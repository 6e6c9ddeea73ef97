import type { PersonaFields } from '../../../contract/personas.ts';
import { fold } from '../../../text/fold.ts';

/** Equal for texts that differ only in case, marks or the amount of white space. */
export const keyOf = (text: string): string => fold(text.replace(/\s+/gu, ' ').trim());

type Rule = PersonaFields['do'][number];

export const isSameRule = (a: Rule, b: Rule): boolean =>
  keyOf(a.topic) === keyOf(b.topic) && keyOf(a.text) === keyOf(b.text);

/** Whether a `dont` rule has the same topic as the `do` rule; rules without a topic exclude none. */
export const isVetoedBy = (rule: Rule, dont: Rule): boolean =>
  keyOf(rule.topic) !== '' && keyOf(rule.topic) === keyOf(dont.topic);

/** The persona without duplicates, and without `do` rules that a `dont` rule excludes. Applying it again changes nothing. */
export function withoutConflicts<P extends Pick<PersonaFields, 'tone' | 'do' | 'dont'>>(
  persona: P,
): P {
  const { tone, dont } = persona;
  return {
    ...persona,
    tone: tone.filter((word, at) => tone.findIndex((it) => keyOf(it) === keyOf(word)) === at),
    dont: dont.filter((rule, at) => dont.findIndex((it) => isSameRule(it, rule)) === at),
    do: persona.do.filter((rule) => !dont.some((it) => isVetoedBy(rule, it))),
  };
}
