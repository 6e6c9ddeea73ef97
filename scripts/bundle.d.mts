import type { Plugin } from 'esbuild';

type Processes = {
  folder: string;
  names: string[];
  outdir: string;
  external?: string[];
  plugins?: Plugin[];
};
export function bundleProcesses(what: Processes): Promise<void>;
export function watchProcesses(what: Processes, onBuilt: () => void): Promise<() => Promise<void>>;
