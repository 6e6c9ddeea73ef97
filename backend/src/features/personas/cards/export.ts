import { Readable } from 'node:stream';
import { type ExportEntry, nullIfGone } from '../../export-entry.ts';
import type { PersonasFeature } from '../feature.ts';
import { exportCard } from './card-files.ts';

/** The personas of a user as character cards, with their pictures. */
export async function* exportPersonas(
  personas: PersonasFeature,
  userId: string,
): AsyncGenerator<ExportEntry> {
  const card = (id: string, format: 'v3' | 'png') => async () => {
    const file = await exportCard(personas, { userId }, { id, format }).catch(nullIfGone);
    return file && Readable.from([file.content]);
  };
  for (const { id, name, hasPicture } of await personas.personas.list(userId)) {
    yield { path: `personas/${name}.json`, open: card(id, 'v3') };
    if (hasPicture) yield { path: `personas/${name}.png`, open: card(id, 'png') };
  }
}
