import { describe, expect, it } from 'vitest';
import { hostileTexts } from '../../../../backend/test/hostile-texts.ts';
import { artifactsOf } from '../../features/chat/artifacts/find-artifacts.ts';
import { splitUserText } from '../../features/chat/thread/split-user-text.ts';
import { spokenSummary } from '../../features/chat/thread/spoken-summary.ts';
import { hideUnfinishedSource } from '../../features/files/citations/source-text.ts';
import { toRules } from '../../features/personas/editor/rules.ts';
import { freshScanner, scanLine } from './block-scanner.ts';
import { readFence } from './fence.ts';
import { hasFormula, withMarkedFormulas } from './math/formulas.ts';
import { splitBlocks } from './split-blocks.ts';

// Nothing is timed: what takes the cube of its input, or the square of a long one, does not come to its end here.

/** A message of a user, and about the longest reply. */
const LENGTH = 32_000;

const replyOf = (text: string) => ({
  id: 'r',
  status: 'complete' as const,
  parts: [{ type: 'text' as const, text, n: 0 }] as never,
});

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  formulas: (text) => [
    hasFormula(`a $ ${text}`),
    withMarkedFormulas(`a $ ${text.slice(0, 20_000)}`),
  ],
  blocks: (text) => splitBlocks(undefined, text),
  'a line': (text) => scanLine(freshScanner, text.replaceAll('\n', ' ')),
  'a fence': (text) => [readFence(text), readFence(`~~~${text}`)],
  'an artifact': (text) =>
    ['html', 'mermaid'].map((kind) => artifactsOf(replyOf(`~~~${kind}\n${text}\n~~~`))),
  'what is spoken': (text) => spokenSummary(replyOf(text)),
  'text of a user': splitUserText,
  'a source that is not complete': hideUnfinishedSource,
  'rules of a persona': toRules,
};

describe('a hostile text of the greatest length comes to its end', () => {
  it.each(Object.entries(FUNCTIONS))(
    'as %s',
    (_, read) => {
      let texts = 0;
      for (const text of hostileTexts(LENGTH)) {
        read(text);
        texts += 1;
      }
      expect(texts).toBeGreaterThan(60);
    },
    120_000,
  );
});
