import { t } from 'virtual:texts/spokenSummary';
import { type Reply, sourcesAsNumbers } from '@stolas/backend/contract';
import { fromServer } from '../../../i18n/translate.ts';
import { contentOf } from '../../../realtime/index.ts';
import { readFence } from '../../../ui/markdown/fence.ts';
import { splitBlocks } from '../../../ui/markdown/split-blocks.ts';

const MAX_LENGTH = 200;
/** Enough text for the first sentence of a reply. */
const READ_LENGTH = 2_000;

/** The announcement of an ended reply for screen readers: its beginning as plain text, or why it is incomplete. */
export function spokenSummary({
  status,
  error,
  ending,
  parts,
}: Pick<Reply, 'status' | 'error' | 'ending' | 'parts'>) {
  if (status === 'complete') {
    const beginning = beginningOf(contentOf(parts));
    const names = [...new Set(parts.flatMap(({ personaName }) => personaName ?? []))];
    const said =
      names.length > 0
        ? t('panel', { names: names.join(', '), beginning })
        : t('complete', { beginning });
    return shorten(ending ? `${t('lengthLimit')} ${said}` : said);
  }
  const end = endOf(status);
  return shorten(error ? `${end} ${fromServer(error.message)}` : end);
}

const endOf = (status: Reply['status']): string =>
  status === 'failed' || status === 'stopped' || status === 'interrupted' ? t(status) : '';

/** The first sentence, or the first block when that ends earlier. */
function beginningOf(markdown: string): string {
  const [first = ''] = plainText(sourcesAsNumbers(markdown.slice(0, READ_LENGTH))).split('\n');
  const [sentence] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(first);
  return sentence?.segment.trim() ?? '';
}

/** The text of Markdown, one line for each line that has text; code is named and not read out. */
const plainText = (markdown: string): string =>
  splitBlocks(undefined, markdown)
    .blocks.map((block) => (readFence(block) ? t('code') : block))
    .join('\n')
    .replace(/^(?=.+\|)[ \t:|-]+$/gm, '')
    .replace(/^[ \t]*(?:#{1,6}|[-*+]|\d{1,9}[.)]|>|\[[ x]\])[ \t]+/gm, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1')
    .replace(/\[\d{1,4}\]/g, '')
    .replace(/(\*\*|__|~~|`+|\*|(?<!\w)_|_(?!\w))/g, '')
    .replace(/(?:(?<![ \t])[ \t]+)?\|[ \t]*/g, ', ')
    .replace(/^[ ,\t]+|(?<![ ,\t])[ ,\t]+$/gm, '')
    .replace(/\n+/g, '\n')
    .trim();

function shorten(text: string): string {
  const line = text.trim();
  if (line.length <= MAX_LENGTH) return line;
  const cut = line.slice(0, MAX_LENGTH - 1);
  const atWord = cut.slice(0, cut.lastIndexOf(' '));
  return `${atWord || cut}…`;
}
