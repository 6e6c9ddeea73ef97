import { create } from 'zustand';

/** What a link shows: the visible branch of a conversation, or one reply. */
export type ShareTarget = { conversationId: string } | { replyId: string };

export const useShareDialog = create<{ target: ShareTarget | null }>(() => ({ target: null }));

export const openShareDialog = (target: ShareTarget): void => useShareDialog.setState({ target });
export const closeShareDialog = (): void => useShareDialog.setState({ target: null });
