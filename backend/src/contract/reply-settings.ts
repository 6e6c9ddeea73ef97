// No schemas: a page that imports one value of a file with schemas would load all of zod.

/** The model of `npm start` when the operator configures none; its replies are marked as demo answers. */
export const DEMO_MODEL = 'stolas-demo';

/** How much thinking, how many passages and how much checking a reply gets. */
export const DEPTHS = ['fast', 'balanced', 'deep'] as const;
export type Depth = (typeof DEPTHS)[number];
export const DEFAULT_DEPTH = 'balanced' satisfies Depth;

/** `read_only`: replies read memories, and no new ones are saved. */
export const MEMORY_MODES = ['on', 'read_only', 'off'] as const;
export type MemoryMode = (typeof MEMORY_MODES)[number];
export const DEFAULT_MEMORY = 'on' satisfies MemoryMode;

/** Requests a panel: each member of a fusion answers in turn. */
export interface PanelChoice {
  /** Whether a last part sums up the answers. */
  synthesis: boolean;
}

/** The persona of a reply at that time. */
export interface PersonaRef {
  id: string;
  name: string;
  /** From 1; each change of a persona raises it. */
  version: number;
}

/** `queued` and `streaming` are active; the other four are terminal. */
export type ReplyStatus =
  | 'queued'
  | 'streaming'
  | 'complete'
  | 'failed'
  | 'stopped'
  | 'interrupted';

/** Why a complete reply ended: `length`: it reached the maximum length of its depth, and may be continued. */
export const REPLY_ENDINGS = ['length'] as const;
export type ReplyEnding = (typeof REPLY_ENDINGS)[number];

export const isActive = (status: ReplyStatus): boolean =>
  status === 'queued' || status === 'streaming';
