import { mistakes } from './patches.mjs';

const GENERATION = 'backend/src/features/chat/generation';
const tests = (...names) => names.map((name) => `src/features/chat/generation/${name}.test.ts`);
const STORE = tests('model');
const AT_ATTEMPT = [
  '_id: id, ~~active: true, ~~attempt',
  'active: true, ~~attempt, ~~status',
  "attempt~~, status: 'streaming'~~ }",
];

export const GENERATION_MUTATIONS = [
  ...mistakes(
    { file: `${GENERATION}/attempt-model.ts`, tests: STORE },
    {
      'startAttempt: async': [
        "_id: id, ~~active: true, ~~status: 'queued'",
        "active: true~~, status: 'queued'~~",
        '~~$inc: { attempt: 1 },~~',
        '$unset: { ~~lostAttempts: 1, ~~lane',
        'lostAttempts: 1, ~~lane: 1, ~~sent',
        'lane: 1~~, sent: 1~~ }',
      ],
      'takeOver: async': [
        '_id: id, ~~active: true, ~~status',
        "~~status: 'streaming', ~~heartbeatAt",
        '~~, heartbeatAt: { $lt: staleBefore }~~',
        '$inc: { ~~attempt: 1, ~~takeovers',
        'attempt: 1, ~~takeovers: 1, ~~lost',
        'takeovers: 1~~, lostAttempts: 1~~',
        ', $set: { ~~heartbeatAt: now~~ }',
      ],
      'beginStream: async': [
        ...AT_ATTEMPT,
        '$unset: { ~~lostAttempts: 1, ~~sent',
        'lostAttempts: 1~~, sent: 1~~ }',
      ],
      'checkpoint: async': [
        ...AT_ATTEMPT,
        'text?.stored, ~~...(sent && { sent }), ~~heart',
        '{ sent }), ~~heartbeatAt: now~~',
      ],
      'finish: async': [
        '_id: id, ~~active: true, ~~attempt',
        "~~attempt: from === 'queued' ? attempt - 1 : attempt, ~~status",
        ["from === 'queued' ? ~~attempt - 1~~ : attempt", 'attempt'],
        'attempt~~, status: from~~ }',
        '~~active: 1,~~',
        '~~reserved: 1,~~',
        '~~sweptAt: 1,~~',
        '~~outbox: 1,~~',
        '~~...(postSteps.length > 0 && { postSteps: pendingSteps(postSteps, now) }),~~',
      ],
      "...(persona === null && { 'settings.persona'": [
        '~~$push: { charges: { ...charge, at: now } },~~',
      ],
      'if (matchedCount === 1) return true;': [
        '_id: id, ~~attempt, ~~status })',
        '_id: id, attempt~~, status~~ })',
      ],
      'requeueLost: async': [
        ...AT_ATTEMPT,
        '~~$unset: { reserved: 1 },~~',
        ['completionTokens: 0, ~~release: true, ~~at', ''],
      ],
      'markSettled: async': ['charges: { ~~attempt~~ }'],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/model.ts`, tests: STORE },
    {
      "['failed', 'stopped', 'interrupted']": [["~~'failed'~~, 'stopped'", "'complete'"]],
      '    find: async': ["_id: id~~, role: 'assistant'~~"],
      'findOwn: async': ['_id: id, ~~ownerId, ~~role', "ownerId~~, role: 'assistant'~~"],
      'idsOf: async': [
        '{ ~~ownerId, ~~role',
        "ownerId, ~~role: 'assistant' as const, ~~...",
        '~~...(open && IS_OPEN)~~',
        '...(~~open && ~~IS_OPEN)',
      ],
      'const IS_OPEN =': [
        '$or: [~~{ active: true }, ~~{',
        "~~, { 'charges.0': { $exists: true } }~~]",
        ["'charges.0': { $exists: ~~true~~ }", 'false'],
      ],
      'requestStop: async': ['_id: id, ~~ownerId, ~~active', 'ownerId~~, active: true~~ }'],
      'requeueToContinue: async': [
        '_id: id, ~~ownerId, ~~attempt',
        'ownerId, ~~attempt, ~~status',
        'attempt, ~~status: { $in: ENDED_BADLY }, ~~content',
        "~~, content: { $ne: '' }~~",
        '~~lane,~~',
        '~~takeovers: 0,~~',
        'error: 1,\n                ~~stopRequested: 1,~~',
      ],
      'findStale: async': [
        '~~active: true,~~',
        '~~heartbeatAt: { $lt: staleBefore },~~',
        '~~...sweptBeforeFilter(sweptBefore),~~',
      ],
      'claimStale: async': [
        '~~active: true,~~',
        '~~heartbeatAt: { $lt: staleBefore },~~',
        '~~...sweptBeforeFilter(sweptBefore),~~',
        '$set: { ~~sweptAt: now~~ }',
      ],
      'const sweptBeforeFilter': [
        '~~{ sweptAt: { $exists: false } }, ~~',
        '~~, { sweptAt: { $lt: sweptBefore } }~~',
      ],
      'openCharges: async': ["{ ~~'charges.at': { $lt: before }~~ }"],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/active-model.ts`, tests: STORE },
    { '': ['~~_id: { $in: replyIds }, ~~active', '~~, active: true~~ }, {'] },
  ),

  ...mistakes(
    { file: `${GENERATION}/log.ts`, tests: tests('writer', 'runner') },
    {
      'const fenced': [["error.message.includes(~~'equal or smaller'~~)", "'never'"]],
      'read: async': [['~~`${attempt}-0`~~', "'-'"]],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/heartbeat.ts`, tests: tests('heartbeat') },
    {
      'const write =': [
        "if (!stored) ~~abort('fenced')~~",
        'else if (~~stored.stopRequested~~)',
      ].map((text) => [text, 'false']),
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/takeover.ts`, tests: tests('fences', 'runner') },
    {
      'const publishedParts': ['reply.attempt~~ - reply.lostAttempts~~'],
      'const restart': [
        ['if (~~sent~~)', 'false'],
        'attempt: attempt~~ - lostAttempts~~',
        ['{ ...lost, ~~reply~~ }', 'reply: lost.reply'],
      ],
      'return async (lost': [
        '~~await replyLog.fence(writer);~~',
        ['const isGivenUp = ~~reply.takeovers >= MAX_TAKEOVERS~~', 'false'],
        '~~ || reply.stopRequested~~',
        ['<= ~~keptLength~~ &&', '0'],
        '~~ && !isGivenUp~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/attempt.ts`, tests: tests('fences', 'runner', 'service') },
    {
      'const hasText =': [['writer.length > ~~reply.keptLength~~', '0']],
      'async function endOfLost': [
        ['deltasFrom(parts, ~~keptLength~~)', '0'],
        'reply.attempt~~ - reply.lostAttempts~~',
      ],
      'function outcome': [["failure.why === ~~'fenced'~~", "'never'"]],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/call.ts`, tests: tests('fences', 'runner', 'service') },
    {
      'const isUncharged': [
        '~~writer.length === start && ~~failure',
        '~~ && failure instanceof ProviderError~~',
      ],
      'let prompt:': [['async () => ~~0~~', '1']],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/runner.ts`, tests: tests('runner', 'service') },
    {
      'const runStreaming': [
        ['const lost = ~~running.has(reply.id)~~', 'false'],
        ['now: now(), ~~staleBefore~~ }', 'staleBefore: now()'],
      ],
      'const runQueued': [['if (~~!started.reply.stopRequested~~)', 'true']],
      'const reserveAlive': [
        ['if (~~reserved && !isShortened(reply, reserved, deps.maxTokens)~~)', 'false'],
      ],
      'const release': [
        '~~if (!(await replies.requeueLost({ id, attempt, jobId, now: now() }))) throw lostReply();~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/reservation.ts`, tests: tests('fences', 'runner') },
    {
      'return async': [
        ['if (~~await replies.beginStream({ id, attempt, reserved: made })~~)', 'true'],
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/finish.ts`, tests: tests('fences', 'service', 'runner') },
    {
      'const settle =': [
        ['if (~~release~~)', 'false'],
        '~~await replies.markSettled({ id: replyId, attempt });~~',
      ],
      'end: async': [['finish(stored))) ~~return false~~', '{}']],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/sweeper.ts`, tests: tests('sweeper') },
    {
      'const revive =': [
        '~~if (!reply) return;~~',
        '~~await queue.ensureQueued(reply);~~',
        '~~await completeSend(reply);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${GENERATION}/service.ts`, tests: tests('service') },
    {
      'const stopQueued': ['{ ...reply, ~~attempt~~ }', ["{ from: ~~'queued'~~ }", "'streaming'"]],
      'const requeue =': [
        ['if (~~isDuplicateKey(error)~~)', 'false'],
        'current && ~~current.attempt <= attempt + 1 && ~~isActive',
        '~~ && isActive(current.status)~~;',
        ['if (~~!isShared~~)', 'true'],
        ['if (~~!isShared~~)', 'false'],
      ],
      'continue: async': [
        ['if (~~isActive(reply.status)~~ ||', 'false'],
        "~~ || reply.status === 'complete'~~",
        "~~ || reply.content === ''~~",
        '~~if (await isFollowed(reply)) throw notRetryable();~~',
      ],
    },
  ),
];
