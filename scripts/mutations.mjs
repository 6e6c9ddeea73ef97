// Small mistakes that the tests must notice. `file` is changed where `find` occurs, exactly once; at least one test of
// `tests` must fail then. Paths of `tests` are those of `suite` (backend unless named otherwise).
const SESSIONS = {
  file: 'backend/src/features/accounts/session-model.ts',
  tests: ['src/features/accounts/service.test.ts', 'test/sessions.test.ts'],
};
const ACCESS = { file: 'backend/src/access/index.ts', tests: ['src/access/access.test.ts'] };

/** @type {{ name: string, file: string, find: string, replace: string, tests: string[], suite?: string }[]} */
export const MUTATIONS = [
  {
    ...ACCESS,
    name: 'access: any actor may access any record',
    find: 'record.ownerId === actor.userId',
    replace: 'Boolean(record.ownerId && actor.userId)',
  },
  {
    ...ACCESS,
    name: 'access: requireAccess does not ask the policy',
    find: 'if (!record || !mayAccess(actor, record))',
    replace: 'if (!record)',
  },
  {
    ...SESSIONS,
    name: 'sessions: a user ends a session of another user',
    find: 'model.deleteOne({ _id: id, userId })',
    replace: 'model.deleteOne({ _id: id, ...(userId && {}) })',
  },
  {
    ...SESSIONS,
    name: 'sessions: expired sessions are valid',
    find: 'model.findOne({ ...by, ...within(bounds) })',
    replace: 'model.findOne({ ...by, ...(bounds && {}) })',
  },
  {
    ...SESSIONS,
    name: 'sessions: the list holds the sessions of every user',
    find: 'const filter = { userId, ...within(bounds) };',
    replace: 'const filter = { ...(userId && {}), ...within(bounds) };',
  },
  {
    ...SESSIONS,
    name: 'sessions: a session is extended though another request did so first',
    find: '{ _id: session.id, lastUsedAt: session.lastUsedAt }',
    replace: '{ _id: session.id }',
  },
  {
    ...SESSIONS,
    name: 'sessions: ending all sessions ends those of every user',
    find: 'const filter = { userId, ...(except',
    replace: 'const filter = { ...(userId && {}), ...(except',
  },
];
