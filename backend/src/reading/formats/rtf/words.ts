import iconv from 'iconv-lite';

// Control words of RTF 1.9.1 that matter for its text.

/** Encodings of fonts by `\fcharset`. */
const CHARSETS: Record<number, string> = {
  77: 'macroman',
  128: 'cp932',
  129: 'cp949',
  130: 'cp949',
  134: 'gbk',
  136: 'big5',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
  254: 'cp437',
  255: 'cp850',
};
const WESTERN = 'cp1252';

/** Undefined when the code page of the document decides. */
export const charsetOf = (n: number): string | undefined =>
  n === 1 ? undefined : (CHARSETS[n] ?? WESTERN);

/** The encoding of a document by `\ansi`, `\mac`, `\pc` or `\ansicpg`. */
export function codePageOf(word: string, n: number | undefined): string | undefined {
  switch (word) {
    case 'ansi':
      return WESTERN;
    case 'mac':
      return 'macroman';
    case 'pc':
      return 'cp437';
    case 'pca':
      return 'cp850';
    case 'ansicpg':
      return iconv.encodingExists(`cp${n}`) ? `cp${n}` : WESTERN;
    default:
      return undefined;
  }
}

/** Destinations that hold no text of the document, besides those that a reader may ignore. */
export const DROPPED = new Set(
  (
    'fonttbl colortbl stylesheet info pict object listtable listoverridetable revtbl filetbl fldinst nonshppict upr xe tc ' +
    'sn sv rxe txe pntxta pntxtb ftnsep ftnsepc aftnsep aftnsepc bkmkstart bkmkend'
  ).split(' '),
);

/** Destinations of pictures and embedded objects, which are not read. */
export const PICTURES = new Set(['pict', 'object']);

/** Destinations with text or pictures that begin with a mark for older readers to ignore them. */
export const KEPT = new Set(['shpinst', 'ud', 'annotation', 'shptxt', 'pn', 'shppict']);

/** Where the text of a destination goes. */
export const STREAMS: Record<string, 'header' | 'footer' | 'note' | 'comment'> = {
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
  footnote: 'note',
  annotation: 'comment',
};

export const SIGNS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  zwj: '\u200d',
  zwnj: '\u200c',
  '~': '\u00a0',
  _: '-',
  '{': '{',
  '}': '}',
  '\\': '\\',
};
