export function processNames(): string[];
export function buildBackend(options?: { outdir?: string; names?: string[] }): Promise<void>;
export function watchBackend(onBuilt: () => void): Promise<() => Promise<void>>;
