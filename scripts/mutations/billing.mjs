import { mistakes } from './patches.mjs';

const BILLING = 'backend/src/features/billing';
const tests = (...names) => names.map((name) => `src/features/billing/${name}.test.ts`);
const STORE = tests('billing', 'refresh', 'checkout');
const CHECKOUT = tests('checkout');
const REFRESH = tests('refresh', 'checkout');
const EVENTS = tests('events/events');
const COMPARISON = tests('operator/comparison');

export const BILLING_MUTATIONS = [
  ...mistakes(
    { file: `${BILLING}/model.ts`, tests: STORE },
    {
      'const schema': ['~~, unique: true~~ },\n    /** Raised'],
      'schema.index({ customerIds': ['~~unique: true, ~~sparse'],
      'const at =': [
        ['version: version === 0 ? ~~{ $in: [0, null] }~~', '0'],
        '~~,\n    version: version === 0 ? { $in: [0, null] } : version~~',
        '=> ({\n    ~~ownerId,\n    ~~version',
      ],
      'const change =': [
        '~~$inc: { version: 1 }, ~~...update',
        ['return ~~matchedCount === 1~~;', 'true'],
      ],
      'const findOf =': ['findOne({ ~~ownerId~~ })'],
      'ownerOfCustomer: async': ['findOne({ ~~customerIds: customerId~~ }'],
      'replace: (': [
        '~~...(!keepCheckout && { checkout: 1 }),~~',
        ['...(~~!keepCheckout~~ &&', 'true'],
        '~~...(!facts.pastDue && { graceEndToldAt: 1 }),~~',
        ['...(~~!facts.pastDue~~ &&', 'true'],
      ],
      'beginCheckout: (': [['change(~~at(expected)~~', '{ ownerId: expected.ownerId }']],
      'openCheckout: (': ["change({ ~~ownerId, ~~'checkout", "ownerId~~, 'checkout.key': key~~ }"],
      'findGraceEnded: async': [
        "~~'pastDue.graceEndsAt': { $lte: now }, ~~graceEndToldAt",
        '~~, graceEndToldAt: null~~',
      ],
      'markGraceEndTold: async': ['{ ~~ownerId, ~~'],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/entitlements.ts`, tests: tests('billing') },
    {
      'function planFacts': [
        ["if (~~account?.subscriptionStatus === 'guest'~~)", 'false'],
        "if (~~status === 'disputed' || ~~(cancelsAt",
        "if (status === 'disputed'~~ || (cancelsAt && cancelsAt <= now)~~)",
        ['(cancelsAt && cancelsAt ~~<=~~ now)', '<'],
        'pastDue !== null~~ && pastDue.graceEndsAt <= now~~;',
        ['pastDue.graceEndsAt ~~<=~~ now', '<'],
        'subscriptionPlan: ~~isLocked ? null : ~~plan',
      ],
      'function computeEntitlements': [
        'subscription: ~~account && ~~subscription',
        ['tokens: ~~guestTokens~~,', 'Number.MAX_SAFE_INTEGER'],
        '~~, messages: GUEST_MESSAGE_LIMIT~~',
        ['MAX_RUNNING_REPLIES.~~guest~~', 'user'],
        ["const kind = ~~account ? ('user' as const) : ('none' as const)~~", "'user' as const"],
        ['if (~~!shared.subscribed || ~~!subscription', ''],
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/derive.ts`, tests: tests('derive') },
    {
      'export const isRunning': [
        "~~ && latestInvoice?.status !== 'refunded'~~",
        "~~['active', 'past_due', 'unpaid'].includes(status) && ~~latest",
      ],
      'export function subscriptionFrom': [
        '~~ || !isRunning(snapshot)~~)',
        ['const before = ~~previous.subscriptionId === snapshot.id~~', 'true'],
        'const since = ~~before.pastDue?.since ?? ~~now',
      ],
      'function statusOf': ["~~if (latestInvoice?.status === 'disputed') return 'disputed';~~"],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/token-limit.ts`, tests: tests('derive', 'billing', 'token-price') },
    {
      'export const priceAt': [['facts.periodEndsAt ~~<=~~ at', '<']],
      'export function usageAt': ['~~ && at < mixed.endsAt~~)'],
      'export function mixedPeriodAfter': [
        '~~ - tokensOf(former.plan) * unused~~',
        ['* (~~beginsPeriod ? 1 : unused~~)', '1'],
      ],
      'const stillAt': ['mixed~~ && mixed.endsAt > now~~ ?'],
      'function unusedMonths': ['~~ - toCome~~;'],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/refresh.ts`, tests: REFRESH },
    {
      'return async (ownerId': [
        '~~if (!(await findAccount(ownerId))) return refuseAccount(deps, { ownerId, customerId });~~',
        [
          'if (~~!(await subscriptions.replace(before, next))~~)',
          'await subscriptions.replace(before, next), false',
        ],
        '~~await tell(ownerId);~~',
      ],
      'async function fetchState': [
        "~~latestInvoice?.status === 'refunded' ||~~",
        '(~~isDisputeClosed && ~~latestInvoice',
        ["(isDisputeClosed~~ && latestInvoice?.status === 'disputed'~~)", ''],
        ['~~await gateway.cancelNow(one.id)~~;', 'void 0'],
        ['~~await endDuplicate(deps, before.ownerId, duplicate)~~;', 'void 0'],
        ['if (~~current && ~~before.checkout', ''],
        ['~~await gateway.expireCheckout(before.checkout.checkoutId)~~;', 'void 0'],
        ['const isGiven = ~~!current && before.subscriptionId === null~~', 'false'],
        'const isGiven = !current~~ && before.subscriptionId === null~~',
        'const isGiven = ~~!current && ~~before',
      ],
      'const ownSubscriptions': [
        ['~~one.ownerId === ownerId || ~~(one', ''],
        ['~~one.ownerId === null && ~~catalog', ''],
        '~~ && catalog.find(one.priceId)~~',
      ],
      'const byPrecedence': [
        "~~Number(a.status !== 'active') - Number(b.status !== 'active') ||~~",
        [
          '~~a.startedAt.getTime() - b.startedAt.getTime()~~',
          'b.startedAt.getTime() - a.startedAt.getTime()',
        ],
      ],
      'async function refuseAccount': [
        ['if (~~running.some((one) => one.ownerId === ownerId)~~)', 'false'],
        '~~.filter(isRunning)~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/checkout.ts`, tests: CHECKOUT },
    {
      'const current =': [["if (~~checkout?.status !== 'complete'~~)", 'true']],
      'const begin =': [
        ['if (~~checkout?.fingerprint === fingerprint && ~~(await', 'checkout && '],
        ['~~ && (await isUsable(checkout))~~)', ''],
        ['~~if (checkout?.checkoutId) await gateway.expireCheckout(checkout.checkoutId);~~', ''],
        [
          'return (await ~~subscriptions.beginCheckout(record, begun)~~)',
          'subscriptions.beginCheckout(record, begun).then(() => true)',
        ],
      ],
      'const isUsable': [
        '~~if (now().getTime() - createdAt.getTime() > CHECKOUT_LIFETIME_MS) return false;~~',
        ["~~(await gateway.findCheckout(checkoutId))?.status === 'open'~~", 'true'],
      ],
      'const open =': [
        ['if (~~!account?.email~~)', 'false'],
        '~~refuseSecond(record, purpose.price);~~',
        [
          'if (~~await subscriptions.openCheckout(ownerId, begun.key, checkout.id)~~)',
          '(await subscriptions.openCheckout(ownerId, begun.key, checkout.id)) || true',
        ],
        '~~await gateway.expireCheckout(checkout.id);~~',
      ],
      'start: async': ['~~requireRegistered(actor);~~'],
      'verify: async': [
        ['if (!checkout~~ || checkout.ownerId !== ownerId~~)', ''],
        ["~~if (checkout.status !== 'complete') return notPaid(checkout.status);~~", ''],
      ],
      'function refuseSecond': [
        ['~~subscriptionId === null && ~~plan !== price.plan', ''],
        '~~refuseUnpaid(subscription);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/changes.ts`, tests: tests('changes') },
    {
      'const changePrice =': [
        ['~~${subscriptionId}-${version}-~~${priceId}', '${Math.random()}-'],
        ['~~-${version}~~-', ''],
        "~~ || error.reason === 'unavailable'~~)",
      ],
      'const setCancellation =': [['if (~~(running.cancelsAt !== null) !== cancels~~)', 'cancels']],
      'const keepPrice =': [
        '~~if (running.cancelsAt) await gateway.setCancellation(running.subscriptionId, false);\n    else ~~if',
        ['else if (~~running.pendingChange~~)', 'false'],
      ],
      'upgrade: async': ['~~requireRegistered(actor);~~', '~~refuseUnpaid(found);~~'],
      'change: async': [
        ['else if (~~!isSamePrice(running.pendingChange, price)~~)', 'true'],
        '~~refuseUnpaid(running);~~',
        ['if (~~isUpgrade(running, price)~~)', 'true'],
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/grace.ts`, tests: tests('refresh') },
    {
      'return async': [
        '~~await tell(ownerId);~~',
        '~~await subscriptions.markGraceEndTold(ownerId, now());~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/erase.ts`, tests: tests('refresh') },
    {
      'const endCheckout =': [
        ['~~await gateway.expireCheckout(checkoutId)~~;', 'void 0'],
        ['return ~~customerId ? [customerId] : []~~', '[]'],
      ],
      'export function createErasure': [
        '~~for (const customerId of all) await gateway.removeCustomer(customerId);~~',
        '~~await events.removeAllOf(all);~~',
        '~~await subscriptions.removeAllOf(userId);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/events/event-model.ts`, tests: [...EVENTS, ...tests('refresh')] },
    {
      'const insert =': [['if (~~!isDuplicateKey(error)~~)', 'true']],
      'markApplied: async': ["~~, state: { $ne: 'applied' }~~"],
      'markTried: async': [
        "~~, state: 'received'~~ } as const",
        ['if (~~tried.tries < maxTries~~)', 'true'],
      ],
      'retry: async': ["~~, state: 'failed'~~ }", '~~, tries: 0~~ }'],
      'list: async': [
        '~~...(receivedBefore && { receivedAt: { $lt: receivedBefore } })~~',
        '{ ~~state, ~~...',
      ],
      'removeAllOf: async': ['deleteMany({ ~~customerId: { $in: customerIds }~~ })'],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/events/events.ts`, tests: EVENTS },
    {
      'receive: async': ["~~if (stored?.state !== 'received') return;~~"],
      'applyAgain: async': ['~~if (!(await events.retry(eventId))) return false;~~'],
      'const ownerOf =': [
        '~~if (known) return { ownerId: known, customerId };~~',
        ['~~ && isUserId(found.ownerId)~~', ''],
        '~~(checkoutId && (await gateway.findCheckout(checkoutId))) ||~~',
        '~~(subscriptionId && (await gateway.findSubscription(subscriptionId))) ||~~',
      ],
      'const apply =': [
        ['const isDisputeClosed = ~~event.type === DISPUTE_CLOSED~~', 'false'],
        ['if (~~!(error instanceof AccountGoneError)~~)', 'true'],
      ],
      'return async ({ eventId }': [
        "~~ || event.state === 'applied'~~)",
        [
          "if (~~(await events.markTried(eventId, tried)) === 'received'~~)",
          'await events.markTried(eventId, tried)',
        ],
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/operator/comparison.ts`, tests: COMPARISON },
    {
      'async function compareAll': [
        '~~ && isUserId(ownerId)~~',
        ['if (~~subscriptionId === null || !running.has(subscriptionId)~~)', 'false'],
      ],
      'async function compareOne': [
        ['if (~~isSameState(stored, derived)~~)', 'false'],
        '~~if (!changed) return;~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${BILLING}/migrations.ts`, tests: tests('migrations') },
    {
      'const completeSubscriptions': [
        ['$set: {\n            version: 0,\n            ...(~~hasPlan~~', 'true'],
      ],
    },
  ),
];
