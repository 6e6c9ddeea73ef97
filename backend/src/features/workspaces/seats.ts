import type { WorkspacesFeature } from './feature.ts';

// A crash between two writes may leave a seat without a member or an invitation; an invitation that expires leaves one too.

/** A seat is taken before its invitation is stored. */
const GRACE_MS = 60_000;

/** Takes a seat of a workspace; false when all are taken, after those that belong to nobody were freed. */
export async function takeSeat(
  feature: WorkspacesFeature,
  id: string,
  { key, limit }: { key: string; limit: number },
): Promise<boolean> {
  const take = () => feature.workspaces.takeSeat(id, { key, limit, now: feature.now() });
  if (await take()) return true;
  return (await freeUnusedSeats(feature, id)) > 0 && take();
}

/** As `takeSeat`, for a user who may have a seat already. */
export async function haveSeat(
  feature: WorkspacesFeature,
  id: string,
  wanted: { key: string; limit: number },
): Promise<boolean> {
  const has = async () =>
    (await feature.workspaces.seats(id)).some(({ key }) => key === wanted.key);
  // Another call of the user may take it in between.
  return (await has()) || (await takeSeat(feature, id, wanted)) || has();
}

async function freeUnusedSeats(
  { workspaces, memberships, invitations, now }: WorkspacesFeature,
  id: string,
): Promise<number> {
  const at = now();
  // The seats are read first: a later one is not compared.
  const seats = await workspaces.seats(id);
  const [members, open] = await Promise.all([
    memberships.ofWorkspace(id),
    invitations.ofWorkspace(id, at),
  ]);
  const used = new Set([...members.map(({ userId }) => userId), ...open.map((one) => one.id)]);
  const unused = seats.filter(
    (seat) => !used.has(seat.key) && at.getTime() - seat.at.getTime() > GRACE_MS,
  );
  for (const { key } of unused) await workspaces.freeSeat(id, key);
  return unused.length;
}
