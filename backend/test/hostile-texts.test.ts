import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MAX_MESSAGE_LENGTH } from '../src/contract/limits.ts';
import { AppError } from '../src/errors.ts';
import { readMarkdown } from '../src/features/chat/exports/read-markdown.ts';
import { snippetOf } from '../src/features/chat/search/snippet.ts';
import { claimsOf } from '../src/features/claims/extract.ts';
import { decide } from '../src/features/claims/gates.ts';
import { withoutLocators } from '../src/features/claims/locators.ts';
import { materialOf } from '../src/features/claims/material.ts';
import { hasAllNames, namesIn, sharesWords } from '../src/features/claims/overlap.ts';
import { sentencesOf } from '../src/features/claims/sentences.ts';
import { hasEveryValue, readValues } from '../src/features/claims/values.ts';
import { citedSentence } from '../src/features/files/citations/cited-span.ts';
import { citedQuoteAt, markerAt, withoutMarkers } from '../src/features/files/citations/markers.ts';
import {
  readSourceLinks,
  withoutSourceLinks,
} from '../src/features/files/citations/source-links.ts';
import { valuesIn } from '../src/features/files/citations/values.ts';
import { cutPassages } from '../src/features/files/retrieval/passages.ts';
import { estimateTokens } from '../src/features/files/retrieval/token-estimate.ts';
import { judgeOp } from '../src/features/memory/ops.ts';
import { mayTellOfUser, typedRanges } from '../src/features/memory/typed.ts';
import { CardData } from '../src/features/personas/cards/card.ts';
import { fromCard } from '../src/features/personas/cards/from-card.ts';
import { readAnswer } from '../src/llm/json-answer.ts';
import { entryText } from '../src/search/entry-text.ts';
import { cleanFileName } from '../src/text/file-name.ts';
import { codeAt } from '../src/text/markdown-code.ts';
import { pageReferencesOf } from '../src/text/ranking/page-references.ts';
import { termsOf } from '../src/text/ranking/terms.ts';
import { inert } from '../src/text/untrusted.ts';
import { findVerbatim } from '../src/text/verbatim.ts';
import { hostileTexts } from './hostile-texts.ts';

// Nothing is timed: work that takes cubic time, or quadratic time on a long input, would not end here.

/** An imported message, and the page of a file. */
const MAX_TEXT_LENGTH = 400_000;
/** A field of an imported card. */
const MAX_FIELD_LENGTH = 2 * 1024 * 1024;
const NOW = new Date('2026-11-24T10:00:00Z');

const passageOf = (text: string) => ({
  id: 'p1',
  label: 'a message of the user',
  text,
  source: { kind: 'message' as const, messageId: 'm', start: 0, end: text.length },
});
const supported = (quote: string) => ({
  relation: 'supports' as const,
  evidence: [{ passageId: 'p1', quote }],
});

const orRefused = async (read: () => unknown): Promise<unknown> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
};

/** Functions that take texts of users, files and models, with their maximum lengths. */
const FUNCTIONS: Record<string, [length: number, read: (text: string) => unknown]> = {
  'a search result': [MAX_TEXT_LENGTH, (text) => snippetOf(`needle\n${text}`, ['needle'])],
  'an entry of the search': [MAX_TEXT_LENGTH, entryText],
  'sentences of a reply': [MAX_MESSAGE_LENGTH, sentencesOf],
  'claims of a reply': [
    MAX_MESSAGE_LENGTH,
    (text) => {
      // As many as an answer may have.
      const claims = Array.from({ length: 200 }, (_, n) => ({
        id: `c${n}`,
        sentence: 1,
        text: `The rate is ${n}.`,
        checkable: true,
        reason: '',
      }));
      return claimsOf({ claims }, sentencesOf(`The rates are ${text}`));
    },
  ],
  'material of a message': [MAX_MESSAGE_LENGTH, (text) => materialOf(`> ${text}\n\n${text}`)],
  'values of a claim': [MAX_MESSAGE_LENGTH, (text) => hasEveryValue(text, readValues(text))],
  'names of a claim': [MAX_MESSAGE_LENGTH, (text) => namesIn(`A b ${text}`)],
  'names of a passage': [MAX_MESSAGE_LENGTH, (text) => hasAllNames('the Owl', [passageOf(text)])],
  'words of a claim': [MAX_MESSAGE_LENGTH, (text) => sharesWords(text, text)],
  'places that a claim names': [
    MAX_MESSAGE_LENGTH,
    (text) =>
      withoutLocators(`section 1.2, page ${text}`, { pages: [1], passages: [passageOf(text)] }),
  ],
  'a verdict': [
    MAX_MESSAGE_LENGTH,
    (text) =>
      decide('It is an owl.', supported('It is an owl.'), [passageOf(`It is an owl. ${text}`)]),
  ],
  'a quotation': [
    MAX_TEXT_LENGTH / 4,
    (text) => findVerbatim(text, text.slice(0, 2).trim() || 'x'),
  ],
  'a quotation that is not there': [MAX_TEXT_LENGTH / 4, (text) => findVerbatim(text, 'owl 5')],
  'code of a reply': [
    MAX_MESSAGE_LENGTH,
    (text) =>
      [true, false].map((isEnd) => [
        codeAt(text, { fence: null, atLineStart: true }, isEnd),
        codeAt(text, { fence: { sign: '`', length: 3 }, atLineStart: true }, isEnd),
      ]),
  ],
  'markers of a reply': [
    MAX_MESSAGE_LENGTH,
    (text) => [markerAt(text, true), citedQuoteAt(`“${text}`, true), withoutMarkers(text)],
  ],
  'links of a reply': [
    MAX_MESSAGE_LENGTH,
    (text) => [readSourceLinks(text), withoutSourceLinks(text)],
  ],
  'values of a cited sentence': [MAX_MESSAGE_LENGTH, valuesIn],
  'a cited sentence': [
    MAX_MESSAGE_LENGTH,
    (text) =>
      citedSentence(
        { id: 'p1', fileId: 'f', fileName: 'a', page: 1, start: 0, end: 9, text },
        text,
      ),
  ],
  'terms of a question': [MAX_TEXT_LENGTH, termsOf],
  'pages that a question names': [MAX_MESSAGE_LENGTH, (text) => pageReferencesOf(`page ${text}`)],
  'passages of a page': [MAX_TEXT_LENGTH, (text) => [...cutPassages([{ n: 1, text }])]],
  'text of a file in a prompt': [MAX_TEXT_LENGTH, inert],
  'tokens of a text': [MAX_TEXT_LENGTH, estimateTokens],
  'the name of a file': [MAX_MESSAGE_LENGTH, cleanFileName],
  'what was typed': [MAX_MESSAGE_LENGTH, (text) => typedRanges(text)],
  'what a user says of himself': [MAX_MESSAGE_LENGTH, mayTellOfUser],
  'a memory': [
    MAX_MESSAGE_LENGTH,
    (text) =>
      judgeOp(
        { op: 'add', targetId: null, text: text.slice(0, 300), kind: 'fact', quote: text },
        { content: text, typed: typedRanges(text), targets: new Set() },
      ),
  ],
  'fields of a card': [
    MAX_FIELD_LENGTH,
    (text) =>
      fromCard(CardData.parse({ name: 'A', mes_example: `\n${text}` }), {
        acceptsInstructions: true,
      }),
  ],
  'entries of a card': [
    MAX_FIELD_LENGTH / 2,
    (text) => {
      const entry = { keys: [text.slice(0, 99)], content: text };
      const card = {
        name: text,
        first_mes: '{{char}}'.repeat(9_999),
        character_book: { entries: [entry] },
      };
      const parsed = CardData.safeParse(card);
      return parsed.success && fromCard(parsed.data, { acceptsInstructions: true });
    },
  ],
  'an imported conversation': [
    MAX_TEXT_LENGTH,
    (text) => orRefused(() => readMarkdown(`# ${text}\n## You\n${text}`, NOW)),
  ],
  'a structured answer': [MAX_MESSAGE_LENGTH, (text) => readAnswer(text, z.string())],
};

describe('a hostile text of the maximum length ends', () => {
  it.each(Object.entries(FUNCTIONS))('as %s', async (_, [length, read]) => {
    let texts = 0;
    for (const text of hostileTexts(length)) {
      await read(text);
      texts += 1;
    }
    expect(texts).toBeGreaterThan(60);
  });
});
