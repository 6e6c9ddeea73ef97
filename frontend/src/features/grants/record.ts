import type { Person, ReaderRole } from '@stolas/backend/contract';

/** What can be shared: its kind is its name in the path of the calls. */
export interface SharedRecord extends Shareable {
  kind: 'conversations' | 'personas' | 'files';
  id: string;
  name: string;
}

interface Shareable {
  /** Absent: it is the user's own and shared with nobody. */
  shared?: { role: ReaderRole; owner: Person };
}

/** What the user may do with a record. */
export const roleIn = (record: Shareable | undefined): ReaderRole =>
  record?.shared?.role ?? 'owner';

/** Whether the user may share, rename and delete a record. */
export function mayManage(record: Shareable): boolean {
  const role = roleIn(record);
  return role === 'owner' || role === 'manager';
}

/** Whose a record is that somebody else shares with the user. */
export const sharedBy = ({ shared }: Shareable): string | null =>
  shared && shared.role !== 'owner' ? shared.owner.name : null;
