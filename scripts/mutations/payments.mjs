import { mistakes } from './patches.mjs';

const PAYMENTS = 'backend/src/payments';
const tests = (...names) => names.map((name) => `src/payments/${name}.test.ts`);
const SIMULATOR = tests('simulator/simulator', 'test-gateway.conformance');
const STORE = tests('test-gateway/customer-model');
const DELIVERY = tests('test-gateway/delivery');
const PAGES = tests('test-gateway/pages/pages');
const GATEWAY = tests('test-gateway.conformance');
const STRIPE = tests('stripe', 'stripe.conformance');

export const PAYMENT_MUTATIONS = [
  ...mistakes(
    { file: `${PAYMENTS}/test-gateway/customer-model.ts`, tests: STORE },
    {
      'schema.index({ names': ['1 }~~, { unique: true }~~'],
      'find: async': ['findOne({ ~~names: name~~ })'],
      'listOf: async': ['find({ ~~ownerId~~ })'],
      'listDue: async': ['find({ ~~dueAt: { $lte: now }~~ })', ['{ ~~$lte~~: now', '$lt']],
      'insert: async': [['if (~~isDuplicateKey(error)~~)', 'false']],
      'replace: async': [
        '_id: state.id~~, version~~ }',
        ['version: ~~version + 1~~ }', 'version'],
        ['if (~~isDuplicateKey(error)~~)', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/test-gateway/secret-model.ts`, tests: DELIVERY },
    { 'const found =': [['if (~~!isDuplicateKey(error)~~)', 'true']] },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/simulator.ts`, tests: [...SIMULATOR, ...STORE] },
    {
      'const draftOf =': [['> ~~realNow.getTime() - DAY_MS~~', '0']],
      'const tryOnce =': ['~~catchUp(draft);~~'],
      'const updateOnce =': [
        ['~~keyed(once, action)~~', 'action'],
        '~~await update(name, (draft) => recordDecline(draft, once));~~',
      ],
      'const keyed =': [
        ['if (~~former~~)', 'false'],
        ['if (~~former.asked !== asked~~)', 'false'],
        ['if (~~former.declined~~)', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/checkouts.ts`, tests: SIMULATOR },
    {
      'export function addCheckout': [['if (~~state.deleted~~)', 'false']],
      'export function payCheckout': [
        ["if (~~checkout.status === 'complete'~~)", 'false'],
        ["if (~~checkout.status === 'expired'~~)", 'false'],
      ],
      'export function declineCheckout': [["if (~~checkout.status === 'open'~~)", 'true']],
      'export function expireCheckout': [
        ["if (~~checkout.status !== 'open'~~)", 'false'],
        ['if (~~!draft.state.exists~~)', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/subscriptions.ts`, tests: SIMULATOR },
    {
      'function running': [["if (~~subscription.status === 'canceled'~~)", 'false']],
      'export function changePriceNow': [
        ['if (~~subscription.priceId === priceId~~)', 'false'],
        ['~~throw declined()~~;', ''],
      ],
      'export function createSchedule': [['if (~~subscription.schedule~~)', 'false']],
      'export function setCancellation': [['if (~~subscription.schedule~~)', 'false']],
      'export function endSubscription': [
        ["if (~~subscription.status === 'canceled'~~)", 'false'],
        '~~stopCollecting(draft, subscription);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/invoices.ts`, tests: SIMULATOR },
    {
      'export function stopCollecting': [
        ['if (~~invoice.subscriptionId === subscription.id~~)', 'false'],
      ],
      'export function payInvoice': [["if (~~invoice.status !== 'open'~~)", 'false']],
      'export function refund': [
        ['if (~~left === 0~~)', 'false'],
        ['~~!Number.isInteger(refunded)~~ ||', 'false'],
        ['~~refunded <= 0~~ ||', 'false'],
        ['~~refunded > left~~)', 'false'],
      ],
      'export function openDispute': [['if (~~charge.dispute~~)', 'false']],
      'export function closeDispute': [
        ["if (~~charge.dispute?.status !== 'needs_response'~~)", '!charge.dispute'],
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/clock.ts`, tests: SIMULATOR },
    {
      'function schedule': [
        ["=> ~~status === 'open'~~)", 'true'],
        ["=> ~~status === 'active'~~ ||", 'false'],
      ],
      'function endPeriod(': [['if (~~subscription.cancelsAtPeriodEnd~~)', 'false']],
      'export function endPeriodNow': ['~~state.card = former;~~'],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/simulator/delivery.ts`, tests: DELIVERY },
    {
      'function takeDue': [
        'nextTryAt ~~&& nextTryAt <= realNow~~)',
        ['= ~~next.getTime() - event.createdAt.getTime() > GIVE_UP_MS~~ ?', 'false'],
      ],
      'function markDelivered': [
        ['if (~~delivered.has(event.id)~~)', 'true'],
        ['=> ~~nextTryAt !== null~~ ||', 'false'],
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/test-gateway/gateway.ts`, tests: GATEWAY },
    {
      'expireCheckout: (id)': [["if (~~checkoutOf(draft, id).status === 'open'~~)", 'true']],
      'setCancellation: async': ['~~if (cancels) releaseSchedule(draft, id);~~'],
      'const changeNow =': [
        '~~releaseSchedule(draft, id);~~',
        '~~setCancellation(draft, id, false);~~',
      ],
      'const changeAtPeriodEnd =': [
        '~~releaseSchedule(draft, id);~~',
        '~~setCancellation(draft, id, false);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/test-gateway/pages/routes.ts`, tests: PAGES },
    {
      'const perform =': [['if (~~!(await findCheckout(simulator, id))~~)', 'false']],
      ".post('/test-portal": [['|| ~~!(await find(id))~~)', 'false']],
      ".post('/test-payments": [
        '~~if (!actor) return~~ res.redirect(SEE_OTHER, ',
        ['|| ~~state?.ownerId !== actor.userId~~)', '!state'],
      ],
    },
  ),
  ...mistakes(
    { file: `${PAYMENTS}/test-gateway/pages/portal.ts`, tests: PAGES },
    { 'export const portalOf =': ['portal.id === id~~ && portal.expiresAt > now~~)'] },
  ),

  ...mistakes(
    { file: `${PAYMENTS}/stripe/subscriptions.ts`, tests: STRIPE },
    {
      'cancelNow: async': [["if (~~status === 'canceled'~~ ||", 'false']],
      'now: async (': [
        ", ~~payment_behavior: 'error_if_incomplete'~~ }",
        '{ ~~idempotencyKey: `change-${idempotencyKey}`~~ }',
        '~~await release(subscription);~~',
        '~~await setCancellation(subscription, false);~~',
      ],
      'atPeriodEnd: async (': [
        '~~await release(subscription);~~',
        '~~await setCancellation(subscription, false);~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${PAYMENTS}/stripe/checkouts.ts`, tests: STRIPE },
    {
      'expireCheckout: async': [
        ["if (~~status !== 'open'~~)", 'false'],
        ["if (~~!found || found.status === 'open'~~)", 'true'],
        ["if (~~!found || found.status === 'open'~~)", 'false'],
      ],
    },
  ),
  ...mistakes(
    { file: `${PAYMENTS}/stripe/invoices.ts`, tests: STRIPE },
    { 'const isDisputed =': [['=> ~~!HARMLESS.has(status)~~)', 'true']] },
  ),
  ...mistakes(
    { file: `${PAYMENTS}/stripe/errors.ts`, tests: STRIPE },
    {
      'const isOurFault =': ['~~ ||\n  error instanceof errors.StripeIdempotencyError~~;'],
    },
  ),
];
