import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { projectRoot } from '../embedded/run/root.ts';
import { atEnd } from './at-end.ts';

/** The commit whose processes run beside those of this one during a deploy. A release replaces it with the release before. */
export const FORMER = '19fc7839fd345478a3febd2bfe6b2d887438418c';
const SOURCES = ['backend/src', 'backend/build.mjs', 'scripts/bundle.mjs'];

const run = promisify(execFile);

/** Whether the history of this clone has the commit; one of a few commits only does not. */
export const hasFormer = (): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${FORMER}^{commit}`], { cwd: projectRoot() }).then(
    () => true,
    () => false,
  );

/** Builds web and worker of the former commit with the packages of this one. Returns the folder of web.js and worker.js. */
export async function buildFormer(): Promise<string> {
  const root = projectRoot();
  // Inside the backend, because its packages are found from there.
  const folder = path.join(root, 'backend/.cache/test', `${process.pid}-former`);
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const archive = path.join(folder, 'sources.tar');
  await run('git', ['archive', '-o', archive, FORMER, ...SOURCES], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  const { buildBackend } = (await import(
    pathToFileURL(path.join(folder, 'backend/build.mjs')).href
  )) as typeof import('../build.mjs');
  const outdir = path.join(folder, 'backend/dist');
  await buildBackend({ outdir });
  return outdir;
}
