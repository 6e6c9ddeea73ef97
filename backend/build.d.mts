export function buildBackend(options?: { outdir?: string }): Promise<void>;
export function watchBackend(onBuilt: () => void): Promise<() => Promise<void>>;
