import type { UserFile } from '@stolas/backend/contract';
import type { KnownFile } from './uppy-files.ts';

let attached: KnownFile[] = [];

/** Attaches a stored file to the next message; the composer takes it when it is shown. */
export function attachToDraft({ id, name, type, size }: UserFile): void {
  attached.push({ uploadId: id, id, name, type, size });
}

/** The files that were attached since the last call. */
export function takeAttachedFiles(): readonly KnownFile[] {
  const taken = attached;
  attached = [];
  return taken;
}
