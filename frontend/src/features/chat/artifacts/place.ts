import { create } from 'zustand';
import { createPanelFocus } from '../../../lib/panel-focus.ts';
import { searchParam, setSearchParams, useSearchParam } from '../../../lib/search-params.ts';
import { NO_CLAIMS } from '../../claims/index.tsx';
import { NO_FILE } from '../../files/index.ts';
import { focusComposer } from '../text-box.ts';

/** An artifact in the URL, `?artifact=<message>-<index>`. */
export interface ArtifactPlace {
  messageId: string;
  index: number;
}

const PLACE = /^[0-9a-f]{24}-\d{1,3}$/;

export function useArtifactPlace(): ArtifactPlace | null {
  const [messageId, index] = useSearchParam('artifact', PLACE)?.split('-') ?? [];
  return messageId ? { messageId, index: Number(index) } : null;
}

/** Replies that began while this page was open and for which no artifact was opened. */
const begun = new Set<string>();

/** Counts the clicks that open an artifact: each takes the focus to the panel. */
export const useVisits = create(() => ({ count: 0 }));

const focus = createPanelFocus();

/** Opens an artifact beside the chat. The focus returns to where it is now when it closes. */
export function openArtifact(place: ArtifactPlace): void {
  focus.leave();
  useVisits.setState(({ count }) => ({ count: count + 1 }));
  begun.delete(place.messageId);
  goTo(place);
}

export const takeFocus = focus.take;

export const noteBegun = (replyId: string): void => void begun.add(replyId);

/**
 * Opens an artifact while it is written, once per reply and never after a reload. A file, a list of claims, and an
 * artifact with the focus in it stay open.
 */
export function openByItself(place: ArtifactPlace): void {
  const isInUse =
    document.activeElement?.closest('[data-artifact]') ||
    searchParam('file') ||
    searchParam('claims');
  if (isInUse || !begun.delete(place.messageId)) return;
  focus.forget();
  goTo(place, { replace: true });
}

/** Shows another version of the open artifact. */
export const turnToArtifact = (place: ArtifactPlace): void => goTo(place, { replace: true });

export function closeArtifact(): void {
  if (!focus.close(() => goTo(undefined, { replace: true }))) focusComposer();
}

/** The address of an artifact in a separate tab. */
export const tabAddress = (conversationId: string, place: ArtifactPlace): string =>
  `/artifact?${new URLSearchParams({ c: conversationId, artifact: idOf(place) })}`;

const idOf = ({ messageId, index }: ArtifactPlace): string => `${messageId}-${index}`;

/** The file viewer and the list of claims stand in the same place. */
const goTo = (place: ArtifactPlace | undefined, options?: { replace: boolean }): void =>
  setSearchParams({ ...NO_FILE, ...NO_CLAIMS, artifact: place ? idOf(place) : null }, options);
