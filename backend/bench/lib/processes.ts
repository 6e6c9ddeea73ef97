import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of Linux in /proc. */
const TICKS = 100;

export interface Usage {
  /** CPU time of all threads since the start of the process, in ms. */
  cpuMs: number;
  /** Resident memory in KB. */
  rssKb: number;
}

/** CPU time and memory of the processes below this one whose command line contains `name`, as reported by Linux, summed. */
export function usageOf(name: string): Usage {
  const usages = pidsOf(name).map(read);
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssKb: usages.reduce((sum, { rssKb }) => sum + rssKb, 0),
  };
}

/** The processes below this one whose command line contains `name`. */
export function pidsOf(name: string): number[] {
  const pids = descendants(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name);
    } catch {
      // It has ended in between.
      return false;
    }
  });
  if (pids.length === 0) throw new Error(`There is no process ${name}.`);
  return pids;
}

function read(pid: number): Usage {
  const fields = statOf(pid);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS,
    rssKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
  };
}

/** The fields of /proc/<pid>/stat after the name, which may contain spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It has ended in between.
    }
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid !== 0 && (pid === root || isBelow(parents.get(pid)));
  return [...parents].flatMap(([pid, parent]) => (isBelow(parent) ? [pid] : []));
}
