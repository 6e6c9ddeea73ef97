import { DEFAULT_DEPTH, DEFAULT_MEMORY } from '../../../contract/reply-settings.ts';
import type { ReplySettings } from '../../context.ts';

/** Stored settings: only values that differ from the defaults. */
export type StoredSettings = Partial<ReplySettings>;

export const DEFAULT_SETTINGS: ReplySettings = {
  persona: null,
  depth: DEFAULT_DEPTH,
  memory: DEFAULT_MEMORY,
  temporary: false,
};

export const toSettings = (stored: StoredSettings | null | undefined): ReplySettings => ({
  ...DEFAULT_SETTINGS,
  ...stored,
});

/** The number of provider calls of a whole reply. */
export const callCount = ({ panel }: Pick<ReplySettings, 'panel'>): number =>
  panel ? panel.members.length + (panel.synthesis ? 1 : 0) : 1;

/** The stored form of settings; undefined for the defaults. */
export function storedSettings({
  persona,
  panel,
  depth,
  memory,
  temporary,
  trial,
  contextTokens,
  summaryOf,
}: ReplySettings): StoredSettings | undefined {
  const stored: StoredSettings = {
    ...(persona && { persona }),
    ...(panel && { panel }),
    ...(depth !== DEFAULT_DEPTH && { depth }),
    ...(memory !== DEFAULT_MEMORY && { memory }),
    ...(temporary && { temporary }),
    ...(trial && { trial }),
    ...(contextTokens && { contextTokens }),
    ...(summaryOf && { summaryOf }),
  };
  return Object.keys(stored).length > 0 ? stored : undefined;
}
