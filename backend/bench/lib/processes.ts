import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of Linux in /proc. */
export const TICKS = 100;
const WATCH_EVERY_MS = 20;

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
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS,
    rssKb: memoryKb(pid, 'VmRSS'),
  };
}

/** CPU time of the children of this process that have ended, in seconds (proc(5): cutime and cstime). */
export function childCpuSeconds(): number {
  const fields = statOf('self');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Peak resident memory of the children of this process in MB; call the result to end watching. */
export function watchMemory(): () => number {
  let peakKb = 0;
  const look = () => {
    for (const [pid, parent] of parents())
      if (parent === process.pid) peakKb = Math.max(peakKb, memoryKb(pid, 'VmHWM'));
  };
  const timer = setInterval(look, WATCH_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Math.round(peakKb / 1_024);
  };
}

/** Resident memory of now or at most; 0 of a process that has ended in between. */
function memoryKb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The fields of /proc/<pid>/stat after the name, which may contain spaces. */
function statOf(pid: number | 'self'): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** The parent of each process. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      found.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It has ended in between.
    }
  }
  return found;
}

function descendants(root: number): number[] {
  const all = parents();
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid !== 0 && (pid === root || isBelow(all.get(pid)));
  return [...all].flatMap(([pid, parent]) => (isBelow(parent) ? [pid] : []));
}
