import type { ReadPage } from '../../../reading/index.ts';
import type { ContextImage, FilesInput } from '../../context.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileTexts } from '../reading/text-store.ts';
import { contextOfFiles } from './files-context.ts';

export const OWNER = 'a'.repeat(24);

let made = 0;

/** A file that is ready. */
export function fileOf(changes: Partial<FileRecord> = {}): FileRecord {
  made += 1;
  return {
    id: made.toString(16).padStart(24, '0'),
    ownerId: OWNER,
    name: 'report.pdf',
    type: 'application/pdf',
    kind: 'pdf',
    size: 1_000,
    sha256: 'f'.repeat(64),
    state: 'ready',
    truncated: false,
    hasThumbnail: false,
    inLibrary: false,
    conversationIds: [],
    formerOwners: [],
    formerUses: [],
    grants: [],
    createdAt: new Date(0),
    ...changes,
  };
}

export const pagesOf = (...texts: string[]): ReadPage[] =>
  texts.map((text, at) => ({ n: at + 1, text }));

/** Texts of files in memory. */
export function textsOf(texts: Map<FileRecord, ReadPage[]>): FileTexts {
  const find = (id: string) => {
    for (const [file, pages] of texts) if (file.id === id) return pages;
    throw new Error(`The file ${id} has no text.`);
  };
  return {
    pagesOf: async ({ id }) => find(id),
    derived: async ({ id }, _name, compute) => compute(find(id)),
    save: async () => undefined,
    removeReplaced: async () => undefined,
    remove: async () => undefined,
  };
}

/** The parts of the feature that prompts need, without search by meaning and with a model that sees `images`. */
export const featureOf = (
  changes: Partial<FilesFeature>,
  images = new Map<string, ContextImage>(),
) =>
  ({
    config: { OPENAI_VISION: true, CONTEXT_TOKENS: 8_000 },
    copies: { withLocalCopy: async ({ id }, run) => run(id) },
    reader: { imageForModel: async ({ path }) => images.get(path) ?? Promise.reject(new Error()) },
    vectors: null,
    log: { warn: () => undefined },
    ...changes,
  }) as FilesFeature;

interface Asking {
  /** The user's messages; the reply answers the last one. The first one has the files. */
  said: string[];
  texts: Map<FileRecord, ReadPage[]>;
  /** Files without text. */
  others?: FileRecord[];
  images?: Map<string, ContextImage>;
  budgetTokens?: number;
  warnings?: unknown[];
  /** Other parts of the feature. */
  files?: Partial<FilesFeature>;
}

/** The context of a reply to the last of several messages. */
export function askFiles({
  said,
  texts,
  others = [],
  images,
  budgetTokens = 8_000,
  warnings = [],
  files = {},
}: Asking) {
  const records = [...texts.keys(), ...others];
  const log = { warn: (...warning: unknown[]) => void warnings.push(warning) };
  const feature = featureOf({ texts: textsOf(texts), log: log as never, ...files }, images);
  const input: FilesInput = {
    ownerId: OWNER,
    conversationId: 'c'.repeat(24),
    replyId: 'b'.repeat(24),
    path: said.map((content, at) => ({
      id: `${at}`,
      role: 'user',
      content,
      fileIds: at === 0 ? records.map(({ id }) => id) : [],
    })),
    budgetTokens,
    signal: new AbortController().signal,
  };
  return contextOfFiles(feature, input, records);
}

/** A page of unrelated sentences, in the language of the file. */
const FILLERS = {
  en: (n: number) =>
    `Section ${n} describes how the committee reviews ordinary proposals each season. `,
  de: (n: number) =>
    `Abschnitt ${n} beschreibt, wie der Ausschuss die üblichen Vorschläge jedes Jahr prüft. `,
  fr: (n: number) =>
    `La section ${n} décrit comment le comité examine les propositions ordinaires chaque année. `,
  ru: (n: number) =>
    `Раздел ${n} описывает, как комитет рассматривает обычные предложения каждый год. `,
  ja: (n: number) => `第${n}節では、委員会が毎年通常の提案をどのように審査するかを説明します。`,
  zh: (n: number) => `第${n}节说明委员会每年如何审查一般提案以及相关程序。`,
  ko: (n: number) => `제${n}절은 위원회가 매년 일반 제안을 어떻게 검토하는지 설명합니다. `,
};
type FillerLanguage = keyof typeof FILLERS;

export const filler = (page: number, language: FillerLanguage = 'en') =>
  FILLERS[language](page).repeat(12);

/** 60 pages, the fact in the middle of page 37. */
export const sixtyPages = (fact = '', language: FillerLanguage = 'en') =>
  pagesOf(
    ...Array.from({ length: 60 }, (_, at) => {
      const text = filler(at + 1, language);
      return at === 36 ? `${text}${fact} ${text}` : text;
    }),
  );

export const ask = (
  said: string | string[],
  ...files: [FileRecord, ReturnType<typeof pagesOf>][]
) => askFiles({ said: [said].flat(), texts: new Map(files) });
