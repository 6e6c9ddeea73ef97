import { mistakes } from './patches.mjs';

const FEATURES = 'backend/src/features';
const USAGE = `${FEATURES}/usage`;
const BOOK = ['src/features/usage/usage.test.ts'];
const COUNTED = ['src/features/usage/counted-messages.test.ts'];
const CRASH = ['src/features/usage/crash.test.ts'];
const GUESTS = ['src/features/usage/guest-budget.test.ts'];

export const USAGE_MUTATIONS = [
  ...mistakes(
    { file: `${USAGE}/model.ts`, tests: [...BOOK, ...COUNTED] },
    {
      'const add =': [['if (~~!isDuplicateKey(error)~~)', 'true'], '$setOnInsert: { ~~ownerId~~ }'],
      'const without =': ['$elemMatch: { ~~replyId, ~~attempt', 'replyId~~, attempt~~ }'],
      'findWith: async': [
        'find({ ~~ownerId, ~~reservations',
        '$elemMatch: { ~~replyId, ~~attempt',
        'replyId~~, attempt~~ } }',
      ],
      'countsMessage: async': [
        '{ ~~replyId, ~~messages',
        'replyId, ~~messages: 1, ~~state',
        "~~, state: { $in: ['reserved', 'settled'] }~~",
        "$in: [~~'reserved', ~~'settled'",
        "'reserved'~~, 'settled'~~]",
        'exists({ ~~ownerId, ~~reservations',
      ],
      'reserve: (': [
        '~~committedTokens: { $lte: limits.tokens - reservation.tokens },~~',
        ['{ ~~$lte: limits.tokens~~ - reservation', '$lt: limits.tokens'],
        '~~running: { $lt: limits.running },~~',
        ['{ ~~$lt~~: limits.running', '$lte'],
        '~~messages: { $lte: limits.messages - reservation.messages },~~',
        '~~reservations: without(reservation),~~',
      ],
      'force: (': ['_id: id~~, reservations: without(reservation)~~'],
      'close: async': [
        '~~id: reservation.id, ~~state',
        "reservation.id~~, state: 'reserved'~~",
        ["~~closed.state === 'settled' ? 0 : ~~-reservation", ''],
        ["~~closed.state === 'settled'~~ ? 0", 'true'],
        'committedTokens: tokens~~ - reservation.tokens~~',
        '~~running: -1,~~',
      ],
      'forget: async': ['reservations: { ~~id: reservation.id~~ }'],
      'touch: async': ['$elemMatch: { ~~id: reservation.id~~ }'],
      'findStale: async': ["find({ ~~'reservations.touchedAt': { $lt: before }~~ })"],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/ledger-model.ts`, tests: [...BOOK, ...CRASH, ...COUNTED] },
    {
      'countsMessage: async': [
        ['idOf({ replyId, attempt: ~~n + 1~~ })', 'n'],
        '~~_id: { $in: earlier }, ~~state',
        "~~state: 'settled' as const, ~~messages",
        '~~, messages: 1~~ }',
      ],
      'write: async': [
        "~~, state: { $ne: 'settled' }~~",
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/budget-model.ts`, tests: GUESTS },
    {
      'const add =': [
        '~~, tokens: { $lte: tokensPerHour - tokens }~~',
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      'take: async': ['~~fits && ~~(', '~~ || (await add(start, tokens))~~'],
      'giveBack: async': ['~~_id: hour~~ }', ['tokens: ~~-tokens~~', 'tokens']],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/closing.ts`, tests: [...BOOK, ...CRASH, ...GUESTS] },
    {
      'const findAll': ['~~.filter((reservation) => isSameAttempt(reservation, key))~~'],
      'const enter =': ['~~await store.forget(record.id, reservation);~~'],
      'const close =': [
        '~~if (!(await store.close(record.id, reservation, closed))) return false;~~',
        ['if (~~reservation.budgetHour~~)', 'false'],
        'reservation.tokens~~ - tokensOf(used)~~',
      ],
      'const closeOrEnter': [["if (~~placed.reservation.state === 'reserved'~~)", 'true']],
      'settle: async': [
        ["if (~~entry?.state === 'settled'~~)", 'false'],
        "if (placed) ~~await closeOrEnter(placed, 'released')~~",
        ["else if (~~placed.reservation.state !== 'reserved'~~)", 'false'],
        [
          "else if (~~await close(placed, { state: 'settled', used })~~)",
          "(await close(placed, { state: 'settled', used })) || true",
        ],
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/reserving.ts`, tests: [...BOOK, ...GUESTS, ...CRASH] },
    {
      'function fitReply': [
        '~~if (sums.running >= runningReplies) throw tooManyReplies(entitlements);~~',
        ['if (~~sums.messages + messages~~ >', '0'],
        'limits.tokens - sums.committedTokens~~ - promptTokens~~;',
        'limits.tokens~~ - sums.committedTokens~~',
        ['return ~~Math.min(replyTokens, left)~~', 'replyTokens'],
        ['if (~~limits.tokens - sums.settledTokens - promptTokens >= least~~)', 'false'],
      ],
      'const reserveOwn': [
        "if (~~earlier?.state === 'reserved' || ~~earlier",
        "~~ || earlier?.state === 'settled'~~",
        'if (earlier) ~~await closing.enter({ record, reservation: earlier })~~',
      ],
      'const reserveAsGuest': [
        ["~~if (!('hour' in taken)) throw~~ guest", ''],
        ['const kept = ~~made.isNew ? made.reservation.tokens : 0~~', 'made.reservation.tokens'],
        '~~await budget.giveBack(taken.hour, tokens - kept);~~',
        '~~await budget.giveBack(taken.hour, tokens);~~',
      ],
      'return async (call': [
        ["const isGuest = ~~call.entitlements.kind === 'guest'~~", 'true'],
        ["const isGuest = ~~call.entitlements.kind === 'guest'~~", 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/sweep.ts`, tests: [...BOOK, ...CRASH] },
    {
      'const sweepOne': [
        ["if (~~reservation.state !== 'reserved'~~)", 'false'],
        ['else if (~~active.has(reservation.replyId)~~)', 'false'],
      ],
      'return async ()': ['~~.filter(({ touchedAt }) => touchedAt < before)~~'],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/service.ts`, tests: [...BOOK, ...COUNTED] },
    {
      'const messagesOf': [
        '~~(await store.countsMessage(ownerId, replyId)) ||~~',
        '~~ ||\n      (await ledger.countsMessage(replyId, attempt))~~',
        ['return ~~counted ? 0 : 1~~', '1'],
        ['return ~~counted ? 0 : 1~~', '0'],
      ],
      'reserve: async': [
        '~~request.isCounted ? (0 as const) : ~~messagesOf',
        "~~if (entry?.state === 'settled') return { replyTokens: entry.replyTokens };~~",
        '~~if (!entitlements.mayChat) throw subscriptionRequired();~~',
      ],
      'settle: async': [
        "~~if (entitlements.kind === 'none') return false;~~",
        'const id = ~~entry?.usageId ?? ~~usageIdOf(',
        'const messages = ~~entry?.messages ?? ~~(await',
      ],
    },
  ),
];
