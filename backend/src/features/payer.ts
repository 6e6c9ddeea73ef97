/** Who pays for a reply and for the calls about it. It is stored with the reply, so that each attempt is charged where it was reserved. */
export interface Payer {
  /** The user whose plan pays: its usage period has the reservation. */
  ownerId: string;
  /** The user who asked. */
  userId: string;
  /** The workspace of which `ownerId` is the owner and `userId` a member; absent: the user's own plan. */
  workspaceId?: string | undefined;
  /** The conversation for which its owner, `ownerId`, pays what others ask. */
  conversationId?: string | undefined;
}

/** The own plan of a user pays. */
export const ownPayer = (userId: string): Payer => ({ ownerId: userId, userId });

export const isSamePayer = (a: Payer, b: Payer): boolean =>
  a.ownerId === b.ownerId &&
  a.userId === b.userId &&
  a.workspaceId === b.workspaceId &&
  a.conversationId === b.conversationId;

/** Whether somebody's plan pays for what others ask. */
export const paysForOthers = ({ workspaceId, conversationId }: Payer): boolean =>
  workspaceId !== undefined || conversationId !== undefined;
