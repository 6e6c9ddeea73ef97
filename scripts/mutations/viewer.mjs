import { mistakes } from './patches.mjs';

const READING = 'backend/src/reading';
const VIEWER = 'backend/src/features/files/viewer';
const tests = (...names) => names.map((name) => `src/reading/${name}.test.ts`);
const VIEWER_TESTS = ['src/features/files/viewer/viewer.test.ts'];

export const VIEWER_MUTATIONS = [
  ...mistakes(
    { file: `${READING}/child.ts`, tests: tests('children', 'kept-children') },
    {
      'function spawnLimited': [
        'ulimit -d ${CHILD_DATA_KB}; ~~ulimit -t ${cpuSeconds}; ulimit -f 0; ~~ulimit -c 0',
        [
          "env: ~~process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {}~~,",
          'process.env',
        ],
      ],
      'export function startChild': [
        "~~signal?.addEventListener('abort', abort, { once: true });~~",
      ],
      'if (signal?.aborted) abort();': [
        [
          "setTimeout(() => ~~stop(new UnreadableFileError('timed_out'))~~, timeoutMs)",
          'undefined',
        ],
        'if (!last) ~~killGroup(child)~~;',
      ],
      'function killGroup': ['process.kill(~~-~~child.pid'],
    },
  ),
  ...mistakes(
    { file: `${READING}/kept-children.ts`, tests: tests('kept-children') },
    {
      'export function createKeptChildren': [
        '~~kept.idle = setTimeout(() => end(file), idleMs).unref();~~',
        ['if (~~idle.size > maxIdle && ~~oldest', 'false && '],
        ['~~error instanceof UnreadableFileError && !isExhausted(error)~~;', 'false'],
        ['error instanceof UnreadableFileError~~ && !isExhausted(error)~~;', ''],
        '~~else kept.child.kill();~~',
      ],
      'return await askIn(kept, file, asked)': [
        ['~~if (!isSpent(error)) throw causeOf(error);~~', ''],
      ],
      'const isSpent': [
        ['~~isExhausted(error) || ~~', ''],
        ['~~ && !isTimeout(error.cause)~~', ''],
      ],
    },
  ),
  ...mistakes(
    { file: `${READING}/slots.ts`, tests: tests('slots') },
    {
      'export function createSlots': [
        '~~running.add(task);~~',
        ['(~~key === undefined || countOf((task) => task.key === key) === 0~~)', 'true'],
        ['~~lastTurns.get(group) ?? ~~since', ''],
        ['Math.max(1, ~~size - 1~~)', 'size'],
      ],
      'const leave = () => {': ['~~waiting.splice(waiting.indexOf(task), 1);~~'],
      'const acquire': [['since: ~~turns - 1~~,', 'turns']],
    },
  ),
  ...mistakes(
    { file: `${VIEWER}/shared-calls.ts`, tests: VIEWER_TESTS },
    {
      'export function createSharedCalls': [
        ['~~calls.size >= max || ~~countOfGroup', ''],
        ['~~ || countOfGroup >= maxOfGroup~~', ''],
        ['~~(call) => call.group === group~~', '() => true'],
        '~~if (call.askers > 0) return;~~',
        '~~call.abort.abort(reason);~~',
        '~~call.askers += 1;~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${VIEWER}/pictures.ts`, tests: VIEWER_TESTS },
    {
      'const renderOnce': ["~~if (refusals.has(key)) throw notFound('picture');~~"],
      'function createRefusals': [['~~> now().getTime()~~', '> 0']],
    },
  ),
  ...mistakes(
    { file: `${VIEWER}/pages.ts`, tests: VIEWER_TESTS },
    { 'export function createPageViews': [['~~ && !isScan(file)~~', '']] },
  ),
];
