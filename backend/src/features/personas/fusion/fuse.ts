import { createHash } from 'node:crypto';
import { PERSONA_COUNTS, TRAITS } from '../../../contract/limits.ts';
import type { DroppedLine, FusionPreview, PersonaFields } from '../../../contract/personas.ts';
import { type PromptLine, personaLines } from '../compile/compile.ts';
import { isSameRule } from '../compile/rules.ts';
import { type Choice, chooseRules, chooseTone, type FusionMember } from './choose.ts';

export interface Fused extends Omit<FusionPreview, 'tokens' | 'maxTokens'> {
  /** The saved persona: it compiles to exactly `prompt`. */
  persona: PersonaFields;
}

type Origin = Omit<Choice<unknown>, 'item'>;

/**
 * Fuses personas by rules, never by a model: the same input gives the same bytes. Texts of one author cannot be mixed line by line, so
 * identity, instructions, description and examples come from the member with the highest weight; traits are weighted means, tone and rules
 * are distributed by weight, and `dont` is the union of all.
 * @param name of the fusion; by default that of the member with the highest weight
 */
export function fusePersonas(members: readonly FusionMember[], name?: string): Fused {
  const counted = members.filter(({ weight }) => weight > 0);
  // A stable sort: for equal weights, the first in the list.
  const ranked = counted.toSorted((a, b) => b.weight - a.weight);
  const [lead] = ranked;
  if (!lead) throw new Error('A fusion needs a member with a weight.');
  const others = counted.filter(({ id }) => id !== lead.id).map(({ id }) => id);
  const tone = chooseTone(counted, PERSONA_COUNTS.tone);
  const dont = unite(ranked);
  const rules = chooseRules(counted, { slots: PERSONA_COUNTS.do, vetoes: dont.chosen });
  const knowledge = ranked
    .flatMap(({ id, persona }) => persona.knowledge.map((entry) => ({ id, entry })))
    .slice(0, PERSONA_COUNTS.knowledge);
  const persona: PersonaFields = {
    ...lead.persona,
    name: name ?? lead.persona.name,
    traits: meanTraits(counted),
    tone: tone.chosen.map(({ item }) => item),
    do: rules.chosen.map(({ item }) => item),
    dont: dont.chosen.map(({ item }) => item),
    knowledge: knowledge.map(({ entry }) => entry),
    model: sharedModel(counted),
  };
  const ofLead: Origin = { from: [lead.id], rule: 'highest_weight', over: others };
  const ofAll: Origin = { from: counted.map(({ id }) => id), rule: 'weighted_mean', over: [] };
  const chosen: Partial<Record<PromptLine['field'], readonly Choice<unknown>[]>> = {
    tone: tone.chosen,
    do: rules.chosen,
    dont: dont.chosen,
  };
  const originOf = ({ field, index = 0 }: PromptLine): Origin => {
    if (field === 'frame') return { from: [], rule: 'frame', over: [] };
    if (field === 'name' && name !== undefined) return { from: [], rule: 'named', over: [] };
    if (field === 'traits') return ofAll;
    const id = knowledge[index]?.id;
    if (field === 'knowledge') return { from: id ? [id] : [], rule: 'union', over: [] };
    return chosen[field]?.[index] ?? ofLead;
  };
  const lines = personaLines(persona);
  const prompt = lines.map(({ line }) => line).join('\n');
  return {
    persona,
    prompt,
    sha256: createHash('sha256').update(prompt).digest('hex'),
    provenance: lines.map((line) => {
      const { from, rule, over } = originOf(line);
      return { line: line.line, from, rule, over };
    }),
    dropped: [...tone.dropped, ...rules.dropped, ...dont.dropped, ...droppedTexts(ranked.slice(1))],
  };
}

/** The model that all members name; otherwise the default, because models cannot be mixed. */
function sharedModel(members: readonly FusionMember[]): string | null {
  const [model = null, ...others] = new Set(members.map(({ persona }) => persona.model));
  return others.length === 0 ? model : null;
}

function meanTraits(members: readonly FusionMember[]): PersonaFields['traits'] {
  const mean = (trait: (typeof TRAITS)[number]) =>
    Math.round(
      members.reduce((sum, { weight, persona }) => sum + weight * persona.traits[trait], 0) /
        members.reduce((sum, { weight }) => sum + weight, 0),
    );
  return Object.fromEntries(TRAITS.map((trait) => [trait, mean(trait)])) as PersonaFields['traits'];
}

/** All `dont` lines without duplicates, those of higher weights first. */
function unite(ranked: readonly FusionMember[]) {
  const chosen: Choice<PersonaFields['dont'][number]>[] = [];
  const dropped: DroppedLine[] = [];
  for (const { id, persona } of ranked)
    for (const item of persona.dont) {
      const same = chosen.find((it) => isSameRule(it.item, item));
      if (same) same.from.push(id);
      else if (chosen.length < PERSONA_COUNTS.dont)
        chosen.push({ item, from: [id], rule: 'union', over: [] });
      else dropped.push({ line: item.text, from: id, reason: 'no_slot' });
    }
  return { chosen, dropped };
}

/** The texts of the other members, which the fusion does not contain. */
function droppedTexts(others: readonly FusionMember[]): DroppedLine[] {
  return others.flatMap(({ id, persona }) => {
    const { role, instructions, description, examples } = persona;
    const lines = [
      role,
      ...instructions.split('\n'),
      ...description.split('\n'),
      ...examples.map(({ user }) => user),
    ];
    return lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => ({ line, from: id, reason: 'lower_weight' as const }));
  });
}
