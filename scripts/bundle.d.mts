type Processes = { folder: string; names: string[]; outdir: string };
export function bundleProcesses(what: Processes): Promise<void>;
export function watchProcesses(what: Processes, onBuilt: () => void): Promise<() => Promise<void>>;
