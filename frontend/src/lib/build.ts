import { isOlderBuild } from '@stolas/backend/contract';
import { create } from 'zustand';
import { settingOf } from './page-settings.ts';

const useBuild = create(() => ({ isOutdated: false }));

/** The build of this page; empty where the server named none. */
export const ownBuild = (): string => settingOf('build', '');

/** Takes note of the build that a web process has named. */
export function noteBuild(build: string | null): void {
  if (isOlderBuild(ownBuild(), build)) useBuild.setState({ isOutdated: true });
}

/** Calls back once, when a web process has a later build than this page. @returns a function that ends it. */
export const whenOutdated = (listener: () => void): (() => void) =>
  useBuild.subscribe(({ isOutdated }, former) => {
    if (isOutdated && !former.isOutdated) listener();
  });
