import { onTestFinished } from 'vitest';

/** Writes a setting into the page, as the server does, until the test ends. */
export function writeSetting(name: string, content: string): void {
  const meta = document.createElement('meta');
  Object.assign(meta, { name, content });
  document.head.append(meta);
  onTestFinished(() => meta.remove());
}
