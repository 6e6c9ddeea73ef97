import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** An artifact in the address, `?artifact=<message>-<index>`, so that reload and the back button keep it. */
export interface ArtifactPlace {
  messageId: string;
  index: number;
}

const PLACE = /^([0-9a-f]{24})-(\d{1,3})$/;
/** Of the file viewer, which stands in the same place. */
const FILE_PARAMETERS = ['file', 'page', 'mark'];

export function useArtifactPlace(): ArtifactPlace | null {
  const [, messageId, index] =
    PLACE.exec(new URLSearchParams(useSearch()).get('artifact') ?? '') ?? [];
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

function goTo(place: ArtifactPlace | undefined, options?: { replace: boolean }): void {
  const params = new URLSearchParams(location.search);
  for (const name of FILE_PARAMETERS) params.delete(name);
  if (place) params.set('artifact', `${place.messageId}-${place.index}`);
  else params.delete('artifact');
  navigate(`${location.pathname}?${params}`, options);
}
