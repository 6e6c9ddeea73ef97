import type { DroppedLine, FusionRule, PersonaFields } from '../../../contract/personas.ts';
import { isVetoedBy, keyOf } from '../compile/rules.ts';
import { shareOut } from './shares.ts';

/** A persona and its whole-number weight; the weights of all members sum to 100. */
export interface FusionMember {
  id: string;
  weight: number;
  persona: PersonaFields;
}

/** A line of the fusion, and its members. */
export interface Choice<T> {
  item: T;
  from: string[];
  rule: FusionRule;
  /** Members whose lines this one replaced. */
  over: string[];
}

interface Chosen<T> {
  chosen: Choice<T>[];
  dropped: DroppedLine[];
}

type Rule = PersonaFields['do'][number];

/** Distributes the slots by weight; slots that a member does not fill are distributed again by weight. */
function fillSlots<T>(
  queues: readonly { id: string; weight: number; items: Choice<T>[] }[],
  slots: number,
): Choice<T>[][] {
  const taken = queues.map((): Choice<T>[] => []);
  for (let left = slots; left > 0; ) {
    const open = queues.map(({ items, weight }, at) =>
      items.length > (taken[at]?.length ?? 0) ? weight : 0,
    );
    if (open.every((weight) => weight === 0)) break;
    const shares = shareOut(left, open);
    for (const [at, { items }] of queues.entries()) {
      const mine = taken[at] ?? [];
      const more = items.slice(mine.length, mine.length + (shares[at] ?? 0));
      mine.push(...more);
      left -= more.length;
    }
  }
  return taken;
}

function collect<T>(
  queues: readonly { id: string; weight: number; items: Choice<T>[] }[],
  { slots, lineOf }: { slots: number; lineOf: (item: T) => string },
): Chosen<T> {
  const taken = fillSlots(queues, slots);
  return {
    chosen: taken.flat(),
    dropped: queues.flatMap(({ id, items }, at) =>
      items
        .slice(taken[at]?.length ?? 0)
        .map(({ item }) => ({ line: lineOf(item), from: id, reason: 'no_slot' as const })),
    ),
  };
}

/** Tone words, by weight; a word of several members counts for the member with the highest weight, or the first of them. */
export function chooseTone(members: readonly FusionMember[], slots: number): Chosen<string> {
  const owners = new Map<string, Choice<string>>();
  for (const { id, persona } of members.toSorted((a, b) => b.weight - a.weight))
    for (const word of persona.tone) {
      const known = owners.get(keyOf(word));
      if (!known) owners.set(keyOf(word), { item: word, from: [id], rule: 'share', over: [] });
      else if (!known.from.includes(id)) known.from.push(id);
    }
  const queues = members.map(({ id, weight }) => ({
    id,
    weight,
    items: [...owners.values()].filter(({ from }) => from[0] === id),
  }));
  return collect(queues, { slots, lineOf: (word) => word });
}

/**
 * `do` lines: a `dont` line on the same topic vetoes them. Of the same topic the higher weight wins, or the first in the list. The slots
 * are distributed by weight. A line without a topic never competes.
 */
export function chooseRules(
  members: readonly FusionMember[],
  { slots, vetoes }: { slots: number; vetoes: readonly Choice<Rule>[] },
): Chosen<Rule> {
  const dropped: DroppedLine[] = [];
  // Including lines without a slot.
  const dont = members.flatMap(({ persona }) => persona.dont);
  const winners = new Map<string, Choice<Rule>>();
  const ofMember = new Map<string, Choice<Rule>[]>(members.map(({ id }) => [id, []]));
  for (const { id, persona } of members.toSorted((a, b) => b.weight - a.weight))
    for (const item of persona.do) {
      const topic = keyOf(item.topic);
      const isVetoed = dont.some((it) => isVetoedBy(item, it));
      const veto = vetoes.find((it) => isVetoedBy(item, it.item));
      const winner = topic === '' ? undefined : winners.get(topic);
      const isOwnTopic = winner?.from[0] === id;
      if (isVetoed) {
        dropped.push({ line: item.text, from: id, reason: 'vetoed' });
        if (veto) veto.over = [...new Set([...veto.over, id])];
      } else if (winner && !isOwnTopic) {
        dropped.push({ line: item.text, from: id, reason: 'same_topic' });
        winner.over = [...new Set([...winner.over, id])];
      } else {
        const choice: Choice<Rule> = { item, from: [id], rule: 'share', over: [] };
        if (topic !== '' && !winner) winners.set(topic, choice);
        ofMember.get(id)?.push(choice);
      }
    }
  const queues = members.map(({ id, weight }) => ({ id, weight, items: ofMember.get(id) ?? [] }));
  const { chosen, dropped: full } = collect(queues, { slots, lineOf: ({ text }) => text });
  return { chosen, dropped: [...dropped, ...full] };
}
