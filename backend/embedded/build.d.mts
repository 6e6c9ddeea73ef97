export function buildEmbedded(options?: { outdir?: string; names?: string[] }): Promise<void>;
