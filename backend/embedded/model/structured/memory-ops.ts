import * as z from 'zod';
import type { StructuredAnswer } from './prompt.ts';

const Given = z.object({
  typed: z.string(),
  memories: z.array(z.object({ id: z.string(), text: z.string() })),
});

const MOST = 3;

const INSTRUCTION = /^(?:please )?(?:always|never|from now on)\b|^(?:bitte )?(?:immer|nie)\b/i;
const PREFERENCE =
  /\b(?:i|ich)\s+(?:really\s+)?(?:prefer|like|love|hate|dislike|mag|liebe|hasse|bevorzuge)\b/i;
const FACT =
  /\bmy name is\b|\bi(?:['’]m| am) (?:a|an|from|called|allergic|vegetarian|vegan)\b|\bi (?:live|work|have|own|study|play|speak)\b|\bmein name ist\b|\bich (?:heiße|wohne|arbeite|habe|bin)\b/i;
const REMEMBER =
  /^(?:please )?(?:remember|note)(?: that)?\s+(\S.*)$|^merk dir(?:,? dass)?\s+(\S.*)$/i;
const FORGET = /^(?:please )?forget (?:that )?(.+)$|^vergiss(?:,? dass)?\s+(\S.*)$/i;

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });

const wordsOf = (text: string): string[] =>
  Array.from(words.segment(text.toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);

/** Between two statements of one sentence, each of which is a memory. */
const NEXT_STATEMENT = /,? (?:and|und) (?=(?:i|i['’]m|ich|my|mein)\b)/i;

/** Statements of users about themselves, found by the beginnings of sentences. */
export const memoryOps: StructuredAnswer = ({ user }) => {
  const { typed, memories } = Given.parse(JSON.parse(user));
  const said = Array.from(sentences.segment(typed), ({ segment }) => segment).flatMap((sentence) =>
    sentence.split(NEXT_STATEMENT).map((part) => part.trim()),
  );
  return { ops: said.flatMap((quote) => opOf(quote, memories)).slice(0, MOST) };
};

type Memories = z.infer<typeof Given>['memories'];

function opOf(quote: string, memories: Memories) {
  const bare = quote.replace(/(?<![.!?])[.!?]+$/, '');
  if (quote.endsWith('?')) return [];
  const forgotten = captured(FORGET, bare);
  if (forgotten) {
    const target = closest(forgotten, memories);
    return target ? [{ op: 'remove', targetId: target.id, text: '', kind: 'fact', quote }] : [];
  }
  const text = captured(REMEMBER, bare) ?? bare;
  const kind = kindOf(text) ?? (text === bare ? undefined : 'fact');
  if (!kind) return [];
  const target = memories.find((memory) => isSameMatter(memory.text, text));
  const known = target && wordsOf(target.text).join() === wordsOf(text).join();
  if (known) return [];
  return [{ op: target ? 'update' : 'add', targetId: target?.id ?? null, text, kind, quote }];
}

function kindOf(text: string) {
  if (INSTRUCTION.test(text)) return 'instruction';
  if (PREFERENCE.test(text)) return 'preference';
  return FACT.test(text) ? 'fact' : undefined;
}

const captured = (pattern: RegExp, text: string) => {
  const found = pattern.exec(text);
  return found?.[1] ?? found?.[2];
};

/** 'I live in Rome' and 'I live in Oslo' cannot both be true; 'I like tea' and 'I like jazz' can. */
const SINGLE =
  /^(?:my name is|i live in|i work (?:as|at)|mein name ist|ich (?:heiße|wohne in|arbeite als))\b/i;

function isSameMatter(a: string, b: string): boolean {
  const matter = SINGLE.exec(a)?.[0].toLowerCase();
  return matter !== undefined && matter === SINGLE.exec(b)?.[0].toLowerCase();
}

/** The memory with most words of a text, if it has half of them. */
function closest(text: string, memories: Memories) {
  const asked = wordsOf(text);
  const scored = memories.map((memory) => {
    const has = new Set(wordsOf(memory.text));
    return { memory, share: asked.filter((word) => has.has(word)).length / asked.length };
  });
  const [best] = scored.toSorted((a, b) => b.share - a.share);
  return best && best.share >= 0.5 ? best.memory : undefined;
}
