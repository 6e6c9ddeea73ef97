import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, from the sources and from the built files alike: the nearest one that holds package-lock.json. */
export function projectRoot(from: string = fileURLToPath(import.meta.url)): string {
  const folder = path.dirname(from);
  if (existsSync(path.join(folder, 'package-lock.json')) || folder === from) return folder;
  return projectRoot(folder);
}
