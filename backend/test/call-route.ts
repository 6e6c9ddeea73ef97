// Calls of every route that the code declares, with the records of one user, for the tests of who may do what.
import path from 'node:path';
import type { WorkspaceRole } from '../src/contract/roles.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { bodyOf, declaredRoutes, inputOf, queryOf } from './hostile.ts';
import type { ApiClient } from './stack.ts';

const SOURCES = path.join(import.meta.dirname, '../src/features');

export const namedRoutes = () =>
  declaredRoutes(SOURCES).map((route) => ({ ...route, name: `${route.method} ${route.path}` }));
export type NamedRoute = ReturnType<typeof namedRoutes>[number];

interface Given {
  /** The ids of the records, by the word before `:id` in a path. */
  own: Record<string, string>;
  /** The body or the query; else one that the schema of the route accepts. */
  input?: object | undefined;
}

export async function callRoute(
  { url, token }: Pick<ApiClient, 'url' | 'token'>,
  route: NamedRoute,
  { own, input = inputOf(route) }: Given,
): Promise<{ status: number; text: string }> {
  const { method } = route;
  const address = route.path
    .replace(':id', own[route.path.split('/')[1] ?? ''] ?? 'a'.repeat(24))
    .replace(':shareId', 'a'.repeat(22))
    .replace(/:(n|partNumber)$|:n(?=\/)/, '1')
    .replace(/:\w+/g, 'a'.repeat(24));
  const inUrl = method === 'GET' || route.path.startsWith('/s3/');
  const answer = await fetch(`${url}/api${address}${inUrl ? `?${queryOf(input)}` : ''}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: bodyOf(input) }),
  });
  return { status: answer.status, text: await answer.text() };
}

interface Membership {
  uri: string;
  workspaceId: string;
  userId: string;
}

/** Makes a user a member of a workspace without an invitation. @returns a function that ends the membership */
export async function joinAs(
  role: WorkspaceRole,
  { uri, workspaceId, userId }: Membership,
): Promise<() => Promise<void>> {
  const database = await connectMongo(uri);
  const oid = (id: string) => database.base.Types.ObjectId.createFromHexString(id);
  const place = { workspaceId: oid(workspaceId), userId: oid(userId) };
  const memberships = database.collection('memberships');
  await memberships.insertOne({ ...place, role, joinedAt: new Date() });
  return async () => {
    await memberships.deleteOne(place);
    await database.close();
  };
}
