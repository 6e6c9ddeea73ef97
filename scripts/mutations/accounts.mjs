import { mistakes } from './patches.mjs';

const ACCOUNTS = 'backend/src/features/accounts';
const tests = (...names) => names.map((name) => `src/features/accounts/${name}.test.ts`);
const CREDENTIALS = tests('credentials');
const VERSIONS = tests('session-versions');

export const ACCOUNT_MUTATIONS = [
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
    { file: `${ACCOUNTS}/session-model.ts`, tests: VERSIONS },
    { 'const toRecord =': [['session.credentialVersion ?? ~~-1~~', '0']] },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/service.ts`, tests: VERSIONS },
    {
      'authenticate: async': [
        ['if (~~!isCurrent(session, user)~~)', 'false'],
        '~~await sessions.end({ userId: user.id, sessionId: session.id });~~',
      ],
      'const isCurrent =': [
        '~~credentialVersion === user.credentialVersion || ~~id',
        'user.credentialVersion~~ || id === user.keptSessionId~~;',
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
        ['keptSessionId: ~~sessionId~~', 'undefined'],
        ['except: ~~sessionId~~', 'undefined'],
        '~~if (!user.hasPassword) throw noPassword();~~',
      ],
      'resetPassword: async': [
        ['await links.~~take~~(', 'read'],
        ['users.resetPassword(holder, ~~email~~,', "holder.email ?? ''"],
      ],
      'changeEmail: async': ['~~await requireProof({ user, sessionId }, currentPassword);~~'],
      'confirmEmail: async': [
        ['const own = ~~session?.userId === userId~~ ?', 'session'],
        '~~if (password === undefined) throw signInFirst();~~',
        "~~await requirePassword(user, { password, field: 'password' });~~",
        "~~await links.take(token, 'confirm');~~",
        ['applyPendingEmail(user, ~~email~~, kept)', "user.pendingEmail ?? ''"],
        ['{ keptSessionId: ~~except~~ }', 'undefined'],
        "{ notice: 'email-changed'~~, except~~ }",
      ],
    },
  ),

  ...mistakes(
    { file: `${ACCOUNTS}/proof.ts`, tests: CREDENTIALS },
    {
      'const requireFreshSession': ['~~if (now().getTime() - provenAt < FRESH_MS) ~~return'],
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
    { file: `${ACCOUNTS}/takeover.ts`, tests: CREDENTIALS },
    {
      'createTakeover(': [
        '~~await links.removeAllOf(holder.id);~~',
        '~~await sessions.endAllOf(holder.id);~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${ACCOUNTS}/identities.ts`, tests: CREDENTIALS },
    {
      'const link =': [
        '~~if (holder.signInProviders.includes(identity.provider)) throw conflict(identity.provider);~~',
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
