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
export function storedSettings(settings: ReplySettings): StoredSettings | undefined {
  const defaults: StoredSettings = DEFAULT_SETTINGS;
  const names = Object.keys(settings) as (keyof ReplySettings)[];
  const changed = names.filter((name) => settings[name] && settings[name] !== defaults[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, settings[name]]));
}
