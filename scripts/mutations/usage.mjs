import { mistakes } from './patches.mjs';

const FEATURES = 'backend/src/features';
const USAGE = `${FEATURES}/usage`;
const tests = (...names) => names.map((name) => `src/features/usage/${name}.test.ts`);
const BOOK = tests('reserving', 'settling', 'sweep');
const COUNTED = tests('counted-messages');
const CRASH = tests('crash');
const GUESTS = tests('guest-budget');
const KINDS = tests('kinds');
const CAP = tests('cap');
const OVERVIEW = tests('overview');
const LINES = tests('lines');
const AUDIT = tests('audit');

export const USAGE_MUTATIONS = [
  ...mistakes(
    { file: `${USAGE}/model.ts`, tests: [...BOOK, ...COUNTED] },
    {
      'const add =': [['if (~~!isDuplicateKey(error)~~)', 'true'], '$setOnInsert: { ~~ownerId~~ }'],
      'const sameAttempt =': [
        '=> ({\n  ~~replyId,~~',
        'replyId,~~\n  attempt,~~\n  kind',
        '~~kind: kindOf({ replyId, attempt, ...key }),~~',
        '~~run: run ?? null,~~',
      ],
      'findWith: async': ['find({ ~~ownerId, ~~reservations'],
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
        "~~...(reservation.kind === 'reply' && { running: { $lt: limits.running } }),~~",
        ['{ ~~$lt~~: limits.running', '$lte'],
        '~~messages: { $lte: limits.messages - reservation.messages },~~',
        '~~reservations: without(reservation),~~',
      ],
      'force: (': ['_id: id~~, reservations: without(reservation)~~'],
      'close: async': [
        '~~id: reservation.id, ~~state',
        "reservation.id~~, state: 'reserved'~~",
        ["~~closed.state === 'settled' ? 0 : ~~-messages", ''],
        ["~~closed.state === 'settled'~~ ? 0", 'true'],
        ['const change = tokens~~ - reservation.tokens~~', ''],
        ['running: ~~-runningOf(kind)~~', '0'],
      ],
      'forget: async': ['reservations: { ~~id: reservation.id~~ }'],
      'touch: async': ['$elemMatch: { ~~id: reservation.id~~ }'],
      'findStale: async': ["find({ ~~'reservations.touchedAt': { $lt: before }~~ })"],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/model.ts`, tests: [...KINDS, ...CAP, ...LINES] },
    {
      'const add =': [
        ['running: ~~runningOf(kind)~~,', '1'],
        '~~[`days.${dayOf(at)}.committed`]: tokens,~~',
      ],
      'findDay: async': ['find({ ~~ownerId, ~~[field]'],
      'findReservations: async': [
        "find({ ~~ownerId, ~~'reservations",
        'found.filter((one) => ~~replyId === undefined || ~~one',
        ['replyId === undefined || ~~one.replyId === replyId~~', 'true'],
      ],
      'reserve: (': [
        "...(~~reservation.kind === 'reply' && ~~{ running",
        ['~~$not: { $gt: limits.tokensPerDay - reservation.tokens }~~', '$exists: true'],
        ['~~$not: { $gt: limits.tokensPerDay - reservation.tokens }~~', '$ne: -1'],
        ['limits.tokensPerDay~~ - reservation.tokens~~', ''],
      ],
      'close: async': [
        ['running: ~~-runningOf(kind)~~', '-1'],
        '~~[`${day}.settled`]: tokens,~~',
        '~~[`${day}.committed`]: change,~~',
        '~~[`kinds.${kind}`]: tokens,~~',
        ['dayOf(~~reservation.at~~)', 'closed.touchedAt'],
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/model.ts`, tests: AUDIT },
    {
      'const add =': [['version: ~~1~~,', '0'], '$set: { ~~changedAt: touchedAt~~ }'],
      'close: async': [
        ['version: ~~1~~,', '0'],
        ['closed~~, changedAt: closed.touchedAt~~ }', ''],
      ],
      'repair: async': ['_id: id~~, version~~ }'],
      'findChanged: async': [
        '~~...(after !== undefined && { _id: { $gt: after } }),~~',
        '~~...(since && { changedAt: { $gte: since } }),~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/ledger-model.ts`, tests: [...BOOK, ...CRASH, ...COUNTED] },
    {
      'countsMessage: async': [
        ['entryId({ replyId, attempt: ~~n + 1~~ })', 'n'],
        '~~_id: { $in: earlier }, ~~state',
        "~~state: 'settled' as const, ~~messages",
        '~~, messages: 1~~ }',
      ],
      'write: async': [
        "~~, state: { $ne: 'settled' as const }~~",
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/ledger-model.ts`, tests: [...LINES, ...KINDS] },
    {
      'const entryId =': [["~~kind === 'reply' ? [] : ~~[kind", ''], '~~, ...(run ? [run] : [])~~'],
      'ofReply: (': [
        '~~_id: { $gte: `${replyId}:`, $lt: `${replyId};` }, ~~ownerId',
        '{ ~~$gte: `${replyId}:`, ~~$lt',
        '~~, $lt: `${replyId};`~~ }',
        '~~, ownerId~~ }',
      ],
      'const readPage =': [
        '~~at: { $lte: after.at },~~',
        ['{ ~~$lte~~: after.at }', '$lt'],
        ['$or: [{ at: { ~~$lt~~: after.at }', '$lte'],
        ['{ _id: { ~~$lt~~: entryId(after) }', '$lte'],
        'find({ ~~ownerId, ~~...older',
        ['at: -1, ~~_id: -1~~', '_id: 1'],
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/ledger-model.ts`, tests: AUDIT },
    {
      'sumsOf: async': [
        '$match: { ~~usageId, ~~state',
        "usageId, ~~state: 'settled', ~~_id",
        '~~, _id: { $nin: without }~~ }',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/cap-model.ts`, tests: CAP },
    {
      'set: async': [
        ['if (~~tokensPerDay === null~~)', 'false'],
        'deleteOne({ ~~_id: ownerId~~ })',
        'updateOne({ ~~_id: ownerId~~ }',
      ],
      'removeAllOf: async': ['deleteOne({ ~~_id: ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: 'backend/src/db/daily-runs.ts', tests: ['src/db/daily-runs.test.ts'] },
    {
      'const held =': ['~~leasedAt, ~~finishedAt: null', 'leasedAt~~, finishedAt: null~~ }'],
      'lease: async': [
        'day, ~~finishedAt: null, ~~leasedAt',
        '~~, leasedAt: { $lt: staleBefore }~~ }',
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      '    lastFinished: ()': [['last(~~{ finishedAt: { $ne: null } }~~)', '{}']],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/audit.ts`, tests: AUDIT },
    {
      'const expectedOf =': [
        ["filter(({ state }) => ~~state === 'settled'~~)", 'false'],
        ["filter(({ state }) => ~~state === 'settled'~~)", 'true'],
      ],
      'const compare = async': [
        "~~if (isSame(record, expected)) return 'equal';~~",
        '~~record = await store.find(id);~~',
        '~~onChanged(ownerId);~~',
      ],
      'const compareAll =': ['~~if (!lease) return;~~'],
      'function sumUp': [
        ["if (~~state === 'settled'~~) add", 'false'],
        ["if (~~state === 'reserved'~~) add", 'false'],
        ["~~state === 'reserved' && kind === 'reply'~~", "state === 'reserved'"],
        'sums.messages~~ += messages~~',
      ],
      'function isSame(': [
        '~~a.messages === b.messages &&~~',
        '~~a.settledTokens === b.settledTokens &&~~',
        '~~a.committedTokens === b.committedTokens &&~~',
        '~~a.running === b.running &&~~',
        [
          '~~[...days].every((day) => isSameDay(a.days[day] ?? NO_TOKENS, b.days[day] ?? NO_TOKENS))~~',
          'true',
        ],
        ['~~[...kinds].every((kind) => (a.kinds[kind] ?? 0) === (b.kinds[kind] ?? 0))~~', 'true'],
      ],
      'const isSameDay': [
        'a.settled === b.settled~~ && a.committed === b.committed~~',
        '~~a.settled === b.settled && ~~a.committed',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/budget-model.ts`, tests: GUESTS },
    {
      'const add =': [
        '~~, tokens: { $lt: tokensPerHour }~~',
        ['if (~~!isDuplicateKey(error)~~)', 'true'],
      ],
      'take: async': ['~~ || (await add(start, tokens))~~'],
      'giveBack: async': ['~~_id: hour~~ }', ['tokens: ~~-tokens~~', 'tokens']],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/closing.ts`, tests: [...BOOK, ...CRASH, ...GUESTS, ...OVERVIEW] },
    {
      'const findAll': ['~~.filter((reservation) => isSameAttempt(reservation, key))~~'],
      'const enter =': ['~~await store.forget(record.id, reservation);~~'],
      'const close =': [
        '~~if (!(await store.close(record.id, reservation, closed))) return false;~~',
        '~~onChanged(record.ownerId);~~',
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
    {
      file: `${USAGE}/reserving.ts`,
      tests: [...BOOK, ...GUESTS, ...CRASH, ...KINDS, ...CAP, ...OVERVIEW],
    },
    {
      'function fit(': [
        ['if (~~isReply && ~~sums', ''],
        ['if (~~isReply && sums.running >= runningReplies~~)', 'false'],
        [
          'if (~~sums.messages + messages > (limits.messages ?? Number.POSITIVE_INFINITY)~~)',
          'false',
        ],
        ['const least = ~~isReply ? 1 : whole~~', 'whole'],
        ['const least = ~~isReply ? 1 : whole~~', '1'],
        ['const tokens = ~~Math.min(whole, ...lefts)~~', 'whole'],
        ['const tokens = ~~Math.min(whole, ...lefts)~~', 'Math.min(...lefts)'],
        ['const room = ~~Math.max(tokens - promptTokens, MIN_REPLY_TOKENS)~~', 'MIN_REPLY_TOKENS'],
        [
          'const room = ~~Math.max(tokens - promptTokens, MIN_REPLY_TOKENS)~~',
          'tokens - promptTokens',
        ],
        ['throw ~~limit - settled >= least~~ ?', 'false'],
      ],
      'function quotasOf': [
        ['if (~~!cap~~) return', 'true'],
        'const settled = ~~cap.elsewhere.settled + ~~today',
        'const committed = ~~cap.elsewhere.committed + ~~today',
        ['sums.days[~~dayOf(at)~~]', "''"],
      ],
      'const reserveOwn': [
        '~~...(cap && { tokensPerDay: cap.tokensPerDay - cap.elsewhere.committed }),~~',
        'cap.tokensPerDay~~ - cap.elsewhere.committed~~ }',
        '~~onChanged(ownerId);~~',
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
    { file: `${USAGE}/records.ts`, tests: [...KINDS, ...BOOK] },
    {
      'const isSameAttempt': [
        '~~a.replyId === b.replyId &&~~',
        '~~a.attempt === b.attempt &&~~',
        '~~kindOf(a) === kindOf(b) &&~~',
        '~~ &&\n  (a.run ?? null) === (b.run ?? null)~~',
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
    { file: `${USAGE}/service.ts`, tests: [...BOOK, ...COUNTED, ...KINDS, ...CAP] },
    {
      'const messagesOf': [
        ["~~if (kindOf(key) !== 'reply') return 0;~~", ''],
        '~~(await store.countsMessage(ownerId, replyId)) ||~~',
        '~~ ||\n      (await ledger.countsMessage(replyId, attempt))~~',
        ['return ~~counted ? 0 : 1~~', '1'],
        ['return ~~counted ? 0 : 1~~', '0'],
      ],
      'const capOf =': [
        ['if (~~!startsAt || dayOf(startsAt) !== day~~)', 'true'],
        ['filter((one) => ~~one.id !== id~~)', 'true'],
      ],
      'reserve: async': [
        '~~request.isCounted ? (0 as const) : ~~messagesOf',
        ["if (~~entry?.state === 'settled'~~)", 'false'],
        [
          "return ~~state === 'settled' ? requirePending(request, reserved) : reserved~~",
          'reserved',
        ],
        '~~if (!entitlements.mayChat) throw subscriptionRequired();~~',
      ],
      'settle: async': [
        "~~if (entitlements.kind === 'none') return false;~~",
        'const id = ~~entry?.usageId ?? ~~usageIdOf(',
        'const messages = ~~entry?.messages ?? ~~(await',
        'at: ~~entry?.at ?? ~~now()',
      ],
      'removeAllOf: async': [
        '~~await store.removeAllOf(ownerId);~~',
        '~~await ledger.removeAllOf(ownerId);~~',
        '~~await caps.removeAllOf(ownerId);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/overview.ts`, tests: [...OVERVIEW, ...CAP] },
    {
      'readShownUsage: async': [
        ['if (~~user.isGuest~~)', 'false'],
        '~~if (!entitlements.subscribed) return {};~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/lines.ts`, tests: LINES },
    {
      'readReplyUsage: async': [
        'new Set(entries~~.filter(isSettled)~~.map',
        'reservations~~.filter((one) => !known.has(entryId(one)))~~;',
        'entries~~.filter((entry) => !replaced.has(entryId(entry)))~~;',
        'lines~~.filter(isSettled)~~.reduce',
      ],
      'async *readLines(': [
        '~~if (!shown.has(entryId(entry))) ~~yield',
        '~~while (waiting[0] && waiting[0].at >= entry.at) yield* takeFirst(waiting);~~',
        '~~while (waiting.length > 0) yield* takeFirst(waiting);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${USAGE}/csv.ts`, tests: LINES },
    {
      'function field': [
        ['const text = ~~FORMULA.test(value)~~ ?', 'false'],
        ["~~.replaceAll('\"', '\"\"')~~", ''],
      ],
    },
  ),
];
