interface Turn {
  /** The task's group: groups take turns, and each leaves one slot to the others. Without groups, tasks run in order. */
  group?: string | undefined;
  /** Tasks with the same key run one after the other. */
  key?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Begins only when no other task can. */
  isLast?: boolean | undefined;
}

interface Task extends Turn {
  /** Its rank until its group has had a turn: before the group that had the last turn when it arrived. */
  since: number;
  begin: () => void;
}

interface Slots {
  size: number;
  running: ReadonlySet<Task>;
  waiting: readonly Task[];
  /** The last turn of each group. */
  lastTurns: ReadonlyMap<string, number>;
}

/** The task whose group has waited longest for a turn; of several, the one that arrived first. */
function nextTask({ size, running, waiting, lastTurns }: Slots): Task | undefined {
  const countOf = (has: (task: Task) => boolean) => [...running].filter(has).length;
  const mayBegin = ({ group, key }: Task) =>
    (key === undefined || countOf((task) => task.key === key) === 0) &&
    (group === undefined || countOf((task) => task.group === group) < Math.max(1, size - 1));
  const rankOf = ({ group = '', since, isLast }: Task) =>
    isLast ? Number.POSITIVE_INFINITY : (lastTurns.get(group) ?? since);
  const [first, ...others] = waiting.filter(mayBegin);
  return others.reduce((best, task) => (best && rankOf(task) < rankOf(best) ? task : best), first);
}

/** At most `size` tasks at once. */
export function createSlots(size: number) {
  const running = new Set<Task>();
  const waiting: Task[] = [];
  const lastTurns = new Map<string, number>();
  let turns = 0;

  const beginWaiting = () => {
    while (running.size < size) {
      const task = nextTask({ size, running, waiting, lastTurns });
      if (!task) break;
      waiting.splice(waiting.indexOf(task), 1);
      running.add(task);
      turns += 1;
      if (task.group !== undefined) lastTurns.set(task.group, turns);
      task.begin();
    }
    if (running.size === 0) lastTurns.clear();
  };

  const acquire = ({ signal, ...turn }: Turn) =>
    new Promise<Task>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const leave = () => {
        waiting.splice(waiting.indexOf(task), 1);
        reject(signal?.reason as Error);
      };
      const task: Task = {
        ...turn,
        since: turns - 1,
        begin: () => {
          signal?.removeEventListener('abort', leave);
          resolve(task);
        },
      };
      waiting.push(task);
      signal?.addEventListener('abort', leave, { once: true });
      beginWaiting();
    });

  /**
   * Runs `run` when it is its turn.
   * @throws the signal's reason when it is aborted while waiting
   */
  return async function inSlot<T>(run: () => Promise<T>, turn: Turn = {}): Promise<T> {
    const task = await acquire(turn);
    try {
      return await run();
    } finally {
      running.delete(task);
      beginWaiting();
    }
  };
}
