import { mistakes } from './patches.mjs';

const READING = 'backend/src/features/files/reading';
const VIEWER = 'backend/src/features/files/viewer';
const tests = (...names) => names.map((name) => `src/features/files/${name}.test.ts`);

export const READING_JOB_MUTATIONS = [
  ...mistakes(
    { file: `${READING}/reading-model.ts`, tests: tests('reading/reading-model') },
    {
      'const owned': ['_id: id~~, ownerId~~ }'],
      'const running': ["~~state: 'reading',~~", "~~'reading.tries': tries,~~"],
      'const start =': ["~~'reading.tries': 1, ~~...counts"],
      'startWaiting: ': ["~~, state: 'waiting'~~ }"],
      'takeOver: ': [
        "~~state: 'reading', ~~'reading.dueAt'",
        "~~, 'reading.dueAt': { $lte: now }~~ }",
        "~~'reading.lost': 1~~",
      ],
      'retryFailed: ': [
        "~~state: 'failed',~~",
        "~~'reading.lost': 0,~~",
        "~~'reading.faults': 0,~~",
      ],
      'heartbeat: ': ["~~'reading.dueAt': dueAt, ~~"],
      'putBack: ': [["'reading.faults': ~~fault ? 1 : 0~~", '1']],
      'dueAt: async': ["~~, state: 'reading'~~ }"],
      'countUnfinished: ': [
        '~~ownerId,~~\n        state',
        "~~state: { $in: ['storing', ...UNFINISHED] },~~",
      ],
      'findDue: ': [
        "~~state: { $in: UNFINISHED }, ~~'reading",
        "~~, 'reading.dueAt': { $not: { $gt: now } }~~ }",
      ],
      'leaseWaiting: ': [
        "~~state: 'waiting', ~~'reading",
        "~~, 'reading.dueAt': { $not: { $gt: now } }~~ }",
      ],
    },
  ),

  ...mistakes(
    { file: `${READING}/runner.ts`, tests: tests('reading/runner') },
    {
      'const removeIfDeleted': [['if (~~!(await readings.find(key))~~)', 'false']],
      'const end =': [
        '~~ ?? (await readings.find(run))~~',
        ['file ? publishChange(file) : ~~objects.removeAll(filePrefix(run))~~', 'undefined'],
      ],
      'const retry =': [
        ['const fault = ~~!isReleased && ~~isFault(error)', ''],
        ['if (~~fault && ~~faults', ''],
        ['~~faults + 1 >= MAX_FAULTS~~', 'false'],
      ],
      'const read =': [
        ['if (~~started.lost >= MAX_LOST~~)', 'false'],
        ['AbortSignal.any([~~stopping.signal, ~~lost', ''],
        'stopping.signal~~, lost.signal~~]',
        ['return ~~lost.signal.aborted ? removeIfDeleted(run) : ~~retry', ''],
      ],
      'const leaveAlone': ['~~if (!dueAt) return removeIfDeleted(key);~~'],
    },
  ),

  ...mistakes(
    { file: `${READING}/extract.ts`, tests: tests('reading/runner') },
    {
      'const isFault': [
        ['~~error instanceof ReaderFaultError ||~~', ''],
        ['~~error instanceof ObjectMissingError ||~~', ''],
      ],
      'async (path) => {': [
        ["~~kind === 'pdf' && ~~pages", ''],
        ["~~ && pages.every(({ text }) => text.trim() === '')~~", ''],
      ],
    },
  ),

  ...mistakes(
    { file: `${READING}/sweeper.ts`, tests: tests('reading/reading') },
    { 'const revive': [["~~file.state === 'waiting' && ~~!(await", '']] },
  ),

  ...mistakes(
    { file: `${READING}/queue.ts`, tests: tests('reading/reading') },
    {
      'ensureQueued: ': [
        '~~if (await other.producer.canRun(fileId)) return;~~',
        '~~, { priority }~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${READING}/local-copies.ts`, tests: tests('reading/local-copies') },
    {
      'const download': [['if (~~bytes !== file.size~~)', 'false']],
      'const shrink': [['filter(([, copy]) => ~~copy.users === 0~~)', 'true']],
      'const giveBack': ['~~if (copy.users > 0) return;~~'],
    },
  ),

  ...mistakes(
    { file: `${VIEWER}/pages.ts`, tests: tests('viewer/viewer') },
    {
      'const find = async': [["if (~~file.state !== 'ready' && ~~!isScan", 'false && ']],
      'marks: async': [
        ["~~file.kind !== 'pdf' || ~~start", ''],
        ['~~start >= end || ~~end', ''],
        [' || ~~end > page.text.length~~)', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${VIEWER}/pictures.ts`, tests: tests('viewer/viewer') },
    {
      'const render =': [
        ['if (~~await readings.find(file)~~) return picture', 'true'],
        '~~await objects.removeAll(filePrefix(file));~~',
      ],
      'page: async': [
        ["if (~~file.state === 'storing' || ~~!hasPicture", ''],
        ['~~!hasPicture(file.kind) || ~~isBeyond', ''],
        ['~~ || isBeyond~~)', ''],
      ],
      'thumbnail: async': ["~~if (!file.hasThumbnail) throw notFound('picture');~~"],
    },
  ),
];
