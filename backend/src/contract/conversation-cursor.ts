/** Where a page of conversations ends. */
export const conversationCursor = ({ updatedAt, id }: { updatedAt: string; id: string }): string =>
  `${updatedAt}_${id}`;
