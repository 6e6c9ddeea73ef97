import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, from sources and from built files: the nearest one with package-lock.json. */
export function projectRoot(from: string = fileURLToPath(import.meta.url)): string {
  const folder = path.dirname(from);
  if (existsSync(path.join(folder, 'package-lock.json')) || folder === from) return folder;
  return projectRoot(folder);
}
