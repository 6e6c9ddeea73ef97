import { mistakes } from './patches.mjs';

const ACCOUNTS = 'backend/src/features/accounts';
const tests = (...names) => names.map((name) => `src/features/accounts/${name}.test.ts`);
const STORE = tests('user-model');
const SERVICE = tests('service', 'user-model');
const CREDENTIALS = tests('credentials');
const VERSIONS = tests('session-versions');
const MAILS = tests('mails');

export const USER_MUTATIONS = [
  ...mistakes(
    { file: `${ACCOUNTS}/user-model.ts`, tests: STORE },
    {
      'schema.index({ email: 1 }': ['~~unique: true, ~~sparse'],
      'schema.index({ google: 1 }': ['~~unique: true, ~~sparse'],
      'schema.index({ replit: 1 }': ['~~unique: true, ~~sparse'],
      'const guest =': ["~~subscriptionStatus: 'guest', ~~..."],
      'const find =': ['~~, ...alive~~ }'],
      'const change =': ['~~, ...alive~~ }'],
      'findCredentials: async': ['~~, ...alive~~ }'],
      'recordSignIn: async': [
        ['{ ~~...atVersion(user)~~, ...alive', '_id: user.id'],
        'atVersion(user)~~, ...alive~~ }',
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/credential-changes.ts`, tests: STORE },
    {
      'const atVersion =': ['_id: id~~, credentialVersion~~'],
      'const nextVersion =': ['~~...NEXT_VERSION,~~'],
      'setPendingEmail: (': [['change(~~atVersion(user)~~,', '{ _id: user.id }']],
      'verifyEmail: (': ['_id: id, ~~email, ~~pending', '~~, pendingEmail: null~~ }'],
      'applyPendingEmail: (': [
        '{ ~~...atVersion(user), ~~email: former',
        'atVersion(user), ~~email: former, ~~emailV',
        'former, ~~emailVerified, ~~pending',
        'emailVerified~~, pendingEmail: email~~ }',
      ],
      'setPassword: (user': [['~~atVersion(user)~~,\n      nextVersion', '{ _id: user.id }']],
      'resetPassword: (': [
        'atVersion(user), ~~email, ~~emailVerified',
        ['{ ~~...atVersion(user)~~, email', '_id: user.id'],
        '~~, emailVerified: user.emailVerified~~ }',
      ],
      'linkProvider: (': [
        'user.id, ~~email: user.email, ~~emailV',
        'user.email, ~~emailVerified: user.emailVerified, ~~[',
        '~~[provider]: null~~',
      ],
      'removeIdentity: (': [
        ['{ ~~...atVersion(user)~~, email', '_id: user.id'],
        'atVersion(user), ~~email: user.email, ~~',
        'user.email~~, emailVerified: false~~ }',
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/credential-changes.ts`, tests: CREDENTIALS },
    {
      'const ACCESS =': [
        '~~passwordHash: 1, ~~google',
        '~~google: 1, ~~replit',
        '~~replit: 1, ~~pending',
        '~~, pendingEmail: 1~~ }',
      ],
      'setPassword: (user': ['unset: { ~~pendingEmail: 1~~ }'],
      'resetPassword: (': [
        'user.emailVerified ? { ~~pendingEmail: 1~~ }',
        ['unset: ~~user.emailVerified~~ ?', 'true'],
        ['unset: ~~user.emailVerified~~ ?', 'false'],
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/credential-changes.ts`, tests: [...VERSIONS, ...STORE] },
    {
      'const nextVersion =': [
        '~~...(keptSessionId !== undefined && { keptSessionId })~~',
        '~~...(keptSessionId === undefined && { keptSessionId: 1 })~~',
      ],
      'applyPendingEmail: (': ['nextVersion(changes~~, kept~~)'],
      'setPassword: (user': ['} }~~, kept~~)'],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/credential-changes.ts`, tests: MAILS },
    {
      'applyPendingEmail: (': [
        '~~...(former !== null && emailVerified && { $addToSet: { formerEmails: former } }),~~',
        'former !== null~~ && emailVerified~~ &&',
        ['~~$addToSet: { formerEmails: former }~~', '$set: { formerEmails: [former] }'],
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/user-model.ts`, tests: MAILS },
    {
      'forgetFormerEmail: async': [
        '{ ~~_id: id~~ }',
        ['~~$pull: { formerEmails: email }~~', '$unset: { formerEmails: 1 }'],
        '~~$pull: { formerEmails: email }~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/mails.ts`, tests: MAILS },
    { 'const sendReplaced =': ['~~await users.forgetFormerEmail(id, to);~~'] },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/credentials.ts`, tests: MAILS },
    {
      'confirmEmail: async': [
        '~~if (applied.formerEmails.length > 0) ~~await notify',
        "~~await notify(applied.id, 'email-replaced');~~",
      ],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/removal-model.ts`, tests: SERVICE },
    {
      'const lease =': ['updateOne({ ~~...due, ~~_id'],
      'const leaseUnverified': [
        '~~emailVerified: false,~~',
        '~~subscriptionStatus: null,~~',
        '~~lastSeenAt: { $lt: unverifiedUnseenSince },~~',
        '~~deletingAt: null,~~',
        ['found.filter(~~(_one, n) => !kept[n]~~)', '() => true'],
      ],
      'begin: async': [
        '_id: id~~, deletingAt: null~~ }',
        '~~email: 1,~~\n',
        '~~pendingEmail: 1,~~',
        '~~formerEmails: 1,~~',
        '~~passwordHash: 1,~~',
        '~~google: 1,~~',
        '~~replit: 1,~~',
      ],
      'lease: async': [
        "~~subscriptionStatus: 'guest' as const,~~",
        '~~lastSeenAt: { $lt: guestsUnseenSince },~~',
        '~~deletingAt: null,~~',
        ['{ ~~deletingAt: { $lt: retryBefore }~~ }', 'deletingAt: { $ne: null }'],
      ],
      'remove: async': ['_id: id~~, deletingAt: { $ne: null }~~'],
    },
  ),
];
