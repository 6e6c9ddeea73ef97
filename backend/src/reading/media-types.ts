// The readable types of files, and how each is shown. Names distinguish text formats, bytes the others.
import { ownEntry } from '../text/own-entry.ts';
import type { FileType } from './port.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';

/** The formats that are detected by their bytes, by their usual extension. */
export const BINARY_TYPES = {
  pdf: { type: 'application/pdf', kind: 'pdf' },
  docx: { type: `${OFFICE}.wordprocessingml.document`, kind: 'document' },
  xlsx: { type: `${OFFICE}.spreadsheetml.sheet`, kind: 'table' },
  pptx: { type: `${OFFICE}.presentationml.presentation`, kind: 'document' },
  odt: { type: `${OPEN}.text`, kind: 'document' },
  odp: { type: `${OPEN}.presentation`, kind: 'document' },
  ods: { type: `${OPEN}.spreadsheet`, kind: 'table' },
  epub: { type: 'application/epub+zip', kind: 'document' },
  rtf: { type: 'application/rtf', kind: 'document' },
  doc: { type: 'application/msword', kind: 'document' },
  xls: { type: 'application/vnd.ms-excel', kind: 'table' },
  msg: { type: 'application/vnd.ms-outlook', kind: 'document' },
  png: { type: 'image/png', kind: 'image' },
  jpg: { type: 'image/jpeg', kind: 'image' },
  gif: { type: 'image/gif', kind: 'image' },
  webp: { type: 'image/webp', kind: 'image' },
  avif: { type: 'image/avif', kind: 'image' },
  tif: { type: 'image/tiff', kind: 'image' },
  heic: { type: 'image/heic', kind: 'image' },
  heif: { type: 'image/heif', kind: 'image' },
} satisfies Record<string, FileType>;

/** The binary format of an extension. */
export const binaryTypeOf = (extension: string): FileType | undefined =>
  ownEntry<FileType>(BINARY_TYPES, ownEntry(SAME_FORMAT, extension) ?? extension);

/** Other extensions, and the extensions that detection by bytes gives to variants. */
const SAME_FORMAT: Record<string, string> = {
  jpeg: 'jpg',
  tiff: 'tif',
  apng: 'png',
  docm: 'docx',
  dotx: 'docx',
  dotm: 'docx',
  xlsm: 'xlsx',
  xltx: 'xlsx',
  xltm: 'xlsx',
  pptm: 'pptx',
  potx: 'pptx',
  potm: 'pptx',
  ott: 'odt',
  otp: 'odp',
  ots: 'ods',
  dot: 'doc',
  xlt: 'xls',
};

const code = (type: string): FileType => ({ type, kind: 'code' });

const CODE_EXTENSIONS =
  'ts tsx jsx mjs cjs py rb php java kt kts scala groovy go rs c h cc cpp cxx hpp cs fs vb swift m mm dart lua pl pm r jl ' +
  'ex exs erl hs clj elm ml sh bash zsh fish ps1 bat cmd sql graphql proto yaml yml toml ini cfg conf env properties tf ' +
  'dockerfile makefile cmake gradle vue svelte astro scss sass less tex bib diff patch asm s zig nim sol ipynb';

/** Text formats by extension. */
const TEXT_TYPES: Record<string, FileType> = {
  ...Object.fromEntries(CODE_EXTENSIONS.split(' ').map((name) => [name, code('text/plain')])),
  js: code('text/javascript'),
  css: code('text/css'),
  json: code('application/json'),
  jsonl: code('application/json'),
  xml: code('application/xml'),
  // Never an image here, because browsers run the scripts of an SVG.
  svg: code('image/svg+xml'),
  md: { type: 'text/markdown', kind: 'markdown' },
  markdown: { type: 'text/markdown', kind: 'markdown' },
  csv: { type: 'text/csv', kind: 'table' },
  tsv: { type: 'text/tab-separated-values', kind: 'table' },
  html: { type: 'text/html', kind: 'document' },
  htm: { type: 'text/html', kind: 'document' },
  xhtml: { type: 'text/html', kind: 'document' },
  // Transcripts of meetings, calendars and contacts.
  vtt: { type: 'text/vtt', kind: 'text' },
  srt: { type: 'text/plain', kind: 'text' },
  ics: { type: 'text/calendar', kind: 'text' },
  vcf: { type: 'text/vcard', kind: 'text' },
  eml: { type: 'message/rfc822', kind: 'document' },
  rtf: { type: 'application/rtf', kind: 'document' },
};

/** The text format of an extension. */
export const textTypeOf = (extension: string): FileType | undefined =>
  ownEntry(TEXT_TYPES, extension);

export const PLAIN_TEXT: FileType = { type: 'text/plain', kind: 'text' };
