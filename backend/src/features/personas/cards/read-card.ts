import { MAX_CARD_BYTES } from '../../../contract/limits.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { asCard, type RawCard } from './card.ts';
import { BadPngError, isPng, textsOf } from './png.ts';

/** Real cards are less deep; a deeper one could exhaust the stack. */
const MAX_DEPTH = 64;
/** V3 before V2: files carry both for older readers. */
const KEYWORDS = ['ccv3', 'chara'];

/** The character card of a file, JSON or PNG. @throws AppError invalid_field, too_large */
export function readCard(bytes: Buffer): RawCard {
  const json = isPng(bytes) ? jsonInPng(bytes) : bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (json.length > MAX_CARD_BYTES) throw cardTooLarge();
  const card = asCard(parse(json));
  if (!card) throw unreadable('This file is no character card.');
  return card;
}

function jsonInPng(bytes: Buffer): string {
  try {
    const texts = textsOf(bytes, KEYWORDS);
    for (const keyword of KEYWORDS) {
      const text = texts.get(keyword);
      if (text !== undefined) return decoded(text);
    }
  } catch (error) {
    if (!(error instanceof BadPngError)) throw error;
    throw unreadable(`This picture is damaged. ${error.message}`, error);
  }
  throw unreadable('This picture has no character card in it.');
}

/** The formats require base64; some applications write plain JSON into iTXt. */
const decoded = (text: string): string =>
  text.trimStart().startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8');

function parse(json: string): unknown {
  if (depthOf(json) > MAX_DEPTH) throw unreadable('This card is nested too deeply.');
  try {
    return JSON.parse(json);
  } catch (error) {
    throw unreadable('This file is no character card.', error);
  }
}

/** The nesting depth of brackets outside strings. A single scan: a pattern would take quadratic time for an unclosed string. */
function depthOf(json: string): number {
  let [depth, deepest, isString] = [0, 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') isString = !isString;
    else if (isString && character === '\\') at += 1;
    else if (!isString && (character === '{' || character === '['))
      deepest = Math.max(deepest, (depth += 1));
    else if (!isString && (character === '}' || character === ']')) depth -= 1;
  }
  return deepest;
}

export const cardTooLarge = (cause?: unknown): AppError =>
  new AppError('too_large', 'This card is too large.', { cause });

const unreadable = (message: string, cause?: unknown) => invalidField('file', message, cause);
