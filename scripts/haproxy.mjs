// HAProxy for the tests of deploys: the installed one, or Debian's package.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { canUnpackDebian, libraryPath, onPath, unpackDebian } from '../backend/embedded/debian.mjs';
import { root } from './prepare.mjs';

/**
 * The environment in which the tests find a HAProxy: HAPROXY_PATH, and LD_LIBRARY_PATH of an unpacked one in HAPROXY_LIBRARIES. Empty where
 * there is none; the tests that need it are skipped then.
 */
export async function haproxySettings() {
  const installed = onPath('haproxy');
  if (installed) return { HAPROXY_PATH: installed };
  if (!canUnpackDebian()) return {};
  const folder = path.join(root, '.cache/haproxy');
  const program = path.join(folder, 'usr/sbin/haproxy');
  const isUsable = async () =>
    spawnSync(program, ['-v'], { env: { ...process.env, ...(await libraryPath(folder)) } })
      .status === 0;
  try {
    if (!(await isUsable())) await unpackDebian({ packages: ['haproxy'], folder, isUsable });
  } catch (error) {
    console.log(`HAProxy could not be fetched, its tests are skipped: ${error.message}`);
    return {};
  }
  const { LD_LIBRARY_PATH } = await libraryPath(folder);
  return { HAPROXY_PATH: program, HAPROXY_LIBRARIES: LD_LIBRARY_PATH };
}
