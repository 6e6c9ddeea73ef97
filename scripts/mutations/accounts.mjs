import { mistakes } from './patches.mjs';

const ACCOUNTS = 'backend/src/features/accounts';
const tests = (...names) => names.map((name) => `src/features/accounts/${name}.test.ts`);
const STORE = tests('user-model');
const SERVICE = tests('service', 'user-model');
const CREDENTIALS = tests('credentials');
const NEXT = ['~~...NEXT_VERSION~~', '...{}'];

export const ACCOUNT_MUTATIONS = [
  ...mistakes(
    { file: `${ACCOUNTS}/user-model.ts`, tests: STORE },
    {
      'schema.index({ email: 1 }': ['~~unique: true, ~~sparse'],
      'schema.index({ google: 1 }': ['~~unique: true, ~~sparse'],
      'schema.index({ replit: 1 }': ['~~unique: true, ~~sparse'],
      'const guest =': ["~~subscriptionStatus: 'guest', ~~..."],
      'const at =': ['_id: id~~, credentialVersion~~'],
      'const find =': ['~~, ...alive~~ }'],
      'const change =': ['~~, ...alive~~ }'],
      'findCredentials: async': ['~~, ...alive~~ }'],
      'setPendingEmail: (': [['change(~~at(user)~~,', '{ _id: user.id }']],
      'verifyEmail: (': ['_id: id, ~~email, ~~pending', '~~, pendingEmail: null~~ }'],
      'applyPendingEmail: (': [
        '~~...at(user), ~~pending',
        'at(user), ~~pendingEmail: email~~',
        NEXT,
      ],
      'setPassword: (user': [['change(~~at(user)~~,', '{ _id: user.id }'], NEXT],
      'resetPassword: (': [
        'at(user), ~~email, ~~emailVerified',
        ['{ ~~...at(user)~~, email', '_id: user.id'],
        '~~, emailVerified: user.emailVerified~~ }',
        NEXT,
      ],
      'linkProvider: (': [
        'user.id, ~~email: user.email, ~~emailV',
        'user.email, ~~emailVerified: user.emailVerified, ~~[',
        '~~[provider]: null~~',
      ],
      'takeOver: (': [
        ['{ ~~...at(user)~~, email', '_id: user.id'],
        'at(user), ~~email: user.email, ~~',
        'user.email~~, emailVerified: false~~ }',
        NEXT,
      ],
      'recordSignIn: async': [
        ['{ ~~...at(user)~~, ...alive', '_id: user.id'],
        'at(user)~~, ...alive~~ }',
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/user-model.ts`, tests: CREDENTIALS },
    {
      'const ACCESS =': [
        '~~passwordHash: 1, ~~google',
        '~~google: 1, ~~replit',
        '~~replit: 1, ~~pending',
        '~~, pendingEmail: 1~~ }',
      ],
      'setPassword: (user': ['$unset: { ~~pendingEmail: 1~~ }'],
      'resetPassword: (': [
        'user.emailVerified ? { ~~pendingEmail: 1~~ }',
        ['$unset: ~~user.emailVerified~~ ?', 'true'],
        ['$unset: ~~user.emailVerified~~ ?', 'false'],
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
        ['ids.filter(~~(_id, n) => !kept[n]~~)', '() => true'],
      ],
      'begin: async': [
        '_id: id~~, deletingAt: null~~ }',
        '~~email: 1, ~~pending',
        '~~passwordHash: 1, ~~google',
        '~~google: 1, ~~',
        '~~, replit: 1~~',
      ],
      'isRemoving: async': ['_id: id~~, deletingAt: { $ne: null }~~'],
      'lease: async': [
        "~~subscriptionStatus: 'guest' as const,~~",
        '~~lastSeenAt: { $lt: guestsUnseenSince },~~',
        '~~deletingAt: null,~~',
        ['{ ~~deletingAt: { $lt: retryBefore }~~ }', 'deletingAt: { $ne: null }'],
      ],
      'remove: async': ['_id: id~~, deletingAt: { $ne: null }~~'],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/link-model.ts`, tests: tests('link-model') },
    {
      'const schema': ['required: true~~, unique: true~~'],
      'const valid =': ['~~tokenHash,~~\n', '~~purpose,~~\n', '~~expiresAt: { $gt: now },~~'],
      'replace: async': [
        '~~userId: link.userId, ~~purpose',
        'link.userId~~, purpose: link.purpose~~',
      ],
      'take: async': [['model.~~findOneAndDelete~~(', 'findOne']],
      'removeAllOf: async': ['deleteMany({ ~~userId~~ })'],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/session-model.ts`, tests: tests('session-model') },
    {
      'const schema': ['required: true~~, unique: true~~'],
      'const within =': ['~~expiresAt: { $gt: now },~~', '~~createdAt: { $gt: createdAfter },~~'],
      'findValid: async': ['~~...by, ~~...within', '~~, ...within(bounds)~~'],
      '    touch: async': ['~~, lastUsedAt: session.lastUsedAt~~'],
      'removeByToken: async': ['findOneAndDelete({ ~~tokenHash~~ })'],
      '    remove: async': ['_id: id~~, userId~~ }'],
      'list: async': ['{ ~~userId, ~~...within', 'userId~~, ...within(bounds)~~'],
      'removeAllOf: async': [
        '{ ~~userId, ~~...',
        '~~...(except !== undefined && { _id: { $ne: except } })~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/sessions.ts`, tests: tests('service', 'credentials') },
    {
      'const expiresAt =': [
        [
          'Math.min(usedAt.getTime() + SESSION_MS, ~~createdAt.getTime() + MAX_SESSION_MS~~)',
          'Infinity',
        ],
      ],
      'const slide =': [
        '~~if (at.getTime() - session.lastUsedAt.getTime() < TOUCH_MS) return;~~',
        ['if (~~await sessions.touch(session, { now: at, expiresAt: expiry })~~)', 'false'],
      ],
      'open: async': [
        ['if (~~!(await users.recordSignIn(user, at))~~)', 'false'],
        '~~await sessions.remove({ id: session.id, userId: user.id });~~',
      ],
      '    find: async': ['session~~ && touch~~)'],
      '    end: async': [['if (~~ended~~)', 'true']],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/credentials.ts`, tests: CREDENTIALS },
    {
      'const afterChange': [
        '~~if (!user) throw unauthenticated();~~',
        '~~await links.removeAllOf(user.id);~~',
        '~~await sessions.endAllOf(user.id, except === undefined ? {} : { except });~~',
      ],
      'const requireFreeEmail': ['~~if (await users.findByEmail(email)) throw emailTaken();~~'],
      'changePassword: async': [
        "~~await requirePassword(user, { password: currentPassword, field: 'currentPassword' });~~",
        '~~if (!user.hasPassword) throw noPassword();~~',
      ],
      'resetPassword: async': [
        ['const link = await links.~~take~~(', 'read'],
        ['users.resetPassword(user, ~~link.email~~,', "user.email ?? ''"],
      ],
      'changeEmail: async': ['~~await requireProof({ user, sessionId }, currentPassword);~~'],
      'confirmEmail: async': [
        ['const own = ~~session?.userId === userId~~ ?', 'session'],
        '~~if (password === undefined) throw signInFirst();~~',
        "~~await requirePassword(user, { password, field: 'password' });~~",
        "~~await links.take(token, 'confirm');~~",
        ['applyPendingEmail(user, ~~email~~)', "user.pendingEmail ?? ''"],
      ],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/proof.ts`, tests: CREDENTIALS },
    {
      'const requireFreshSession': [
        'if (session~~ && now().getTime() - session.createdAt.getTime() < FRESH_MS~~)',
      ],
      'const requirePassword': [
        ['if (~~await verifyPassword(found?.passwordHash, password)~~)', 'true'],
      ],
      'requireProof: async': [
        ["if (~~user.subscriptionStatus === 'guest'~~)", 'true'],
        ["if (~~user.subscriptionStatus === 'guest'~~)", 'false'],
        'else ~~await requireFreshSession(call)~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/identities.ts`, tests: CREDENTIALS },
    {
      'const link =': [
        '~~if (holder.signInProviders.includes(identity.provider)) throw conflict(identity.provider);~~',
      ],
      'const takeOver =': [
        '~~await links.removeAllOf(user.id);~~',
        '~~await sessions.endAllOf(user.id);~~',
      ],
      'const signIn =': [
        '~~holder.emailVerified || ~~isOwn',
        'holder.emailVerified~~ || isOwn~~',
        ['~~holder.emailVerified || isOwn~~ ?', 'true'],
      ],
      'function verifiedEmail': ['email !== null~~ && emailVerified~~)'],
    },
  ),

  ...mistakes(
    { file: 'backend/src/access/index.ts', tests: ['src/access/access.test.ts'] },
    {
      'const mayAccess': [
        ['~~record.ownerId === actor.userId~~', 'Boolean(record.ownerId && actor.userId)'],
      ],
      'function requireAccess': [
        '!record~~ || !mayAccess(actor, record)~~',
        '~~!record || ~~!mayAccess',
      ],
      'function requireRegistered': [['if (~~actor.isGuest~~)', 'false']],
      'const audienceOf': [['~~[conversation.ownerId]~~', '[]']],
    },
  ),
];
