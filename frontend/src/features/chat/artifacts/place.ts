import { setSearchParams, useSearchParam } from '../../../lib/search-params.ts';
import { NO_CLAIMS } from '../../claims/index.tsx';
import { NO_FILE } from '../../files/index.ts';

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

let opener: Element | null = null;

/** Opens an artifact beside the chat. The focus returns to where it is now when it closes. */
export function openArtifact(place: ArtifactPlace): void {
  opener = document.activeElement;
  goTo(place);
}

/** Shows another version of the open artifact. */
export const turnToArtifact = (place: ArtifactPlace): void => goTo(place, { replace: true });

export function closeArtifact(): void {
  goTo(undefined, { replace: true });
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  opener = null;
}

/** The file viewer and the list of claims stand in the same place. */
const goTo = (place: ArtifactPlace | undefined, options?: { replace: boolean }): void =>
  setSearchParams(
    { ...NO_FILE, ...NO_CLAIMS, artifact: place ? `${place.messageId}-${place.index}` : null },
    options,
  );
