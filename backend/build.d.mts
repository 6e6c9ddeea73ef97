import type { Plugin } from 'esbuild';

export function buildBackend(options?: { outdir?: string; plugins?: Plugin[] }): Promise<void>;
export function watchBackend(onBuilt: () => void): Promise<() => Promise<void>>;
