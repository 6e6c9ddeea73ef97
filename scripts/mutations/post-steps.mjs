import { mistakes } from './patches.mjs';

const STEPS = 'backend/src/features/chat/post-steps';
const tests = (...names) => names.map((name) => `src/features/chat/${name}.test.ts`);

export const POST_STEP_MUTATIONS = [
  ...mistakes(
    { file: `${STEPS}/model.ts`, tests: tests('post-steps/model') },
    {
      'const pending': [
        '~~_id: replyId,~~',
        '~~attempt,~~\n  status',
        "~~status: 'complete',~~",
        '{ ~~name: step, ~~...condition',
        'name: step~~, ...condition~~ }',
      ],
      'start: async': [
        "~~'postSteps.$.tries': 1,~~\n                [`stepRuns",
        '~~[`stepRuns.${key.step}`]: 1,~~',
        "~~...(isRunning && { 'postSteps.$.lost': 1 }),~~",
        "~~'postSteps.$.startedAt': now, ~~'postSteps",
        "startedAt': now~~, 'postSteps.$.sweepAt': sweepAt~~ }",
      ],
      '    end: async': [
        '~~$pull: { postSteps: { name: key.step } },~~',
        ['$pull: { postSteps: { ~~name: key.step~~ } }', 'name: { $exists: true }'],
      ],
      'retryLater: async': [
        'pending(key~~, { tries }~~)',
        "$set: { ~~'postSteps.$.sweepAt': sweepAt~~ }",
        "$unset: { ~~'postSteps.$.startedAt': 1~~ }",
      ],
      'giveUp: async': [
        'pending(key~~, { tries }~~)',
        '~~$pull: { postSteps: { name: key.step } },~~',
        '~~$addToSet: { failedSteps: key.step },~~',
      ],
      'findDue: async': ['~~.filter(({ sweepAt }) => sweepAt && sweepAt <= now)~~'],
      'leaseDue: async': ['pending(key~~, { sweepAt: { $lte: now } }~~)'],
      'dropWaiting: async': [
        '{ ~~ownerId, ~~',
        ['$pull: { postSteps: { ~~startedAt: { $exists: false }~~ } }', 'name: { $exists: true }'],
      ],
      'isAnyRunning: async': ['{ ~~ownerId, ~~', "~~, 'postSteps.startedAt': { $gt: since }~~ }"],
    },
  ),

  ...mistakes(
    { file: `${STEPS}/runner.ts`, tests: tests('post-steps/runner') },
    {
      'const runStep': [
        '~~stopping.signal, ~~AbortSignal',
        'stopping.signal~~, AbortSignal.timeout(runLimitMs)~~]',
      ],
      'const fail': [
        ['if (~~tries >= MAX_TRIES~~)', 'false'],
        [
          'if (~~!(await steps.retryLater(run, after(delayMs + SWEEP_AFTER_MS)))~~) return',
          'false',
        ],
      ],
      'run: async (key': ['~~if (!started) return;~~', 'if (~~ended && ~~metadata)'],
    },
  ),

  ...mistakes(
    { file: `${STEPS}/sweeper.ts`, tests: tests('post-steps/runner') },
    {
      'const revive': [
        ['if (~~!(await steps.leaseDue(key, { now: at, sweepAt }))~~) return', 'false'],
      ],
    },
  ),

  ...mistakes(
    {
      file: 'backend/src/features/chat/generation/removal.ts',
      tests: tests('generation/removal'),
    },
    {
      'const hasOpenWork': [
        '~~await steps.dropWaiting(ownerId);~~',
        [
          'return ~~steps.isAnyRunning(ownerId, new Date(now().getTime() - RUN_LIMIT_MS))~~',
          'false',
        ],
        '~~ - RUN_LIMIT_MS~~)',
      ],
    },
  ),
];
