import { expect, it, onTestFinished, vi } from 'vitest';
import { noteBuild, whenOutdated } from './build.ts';
import { writeSetting } from './page-settings.fixture.ts';

const OWN = '20261127190000-0123456789ab';
const LATER = '20261127190001-ba9876543210';

/** Counts the reports of a page whose build is `own`. */
function reports(own: string = OWN) {
  writeSetting('build', own);
  const listener = vi.fn<() => void>();
  onTestFinished(whenOutdated(listener));
  return listener;
}

it('fault 32: reports a later build of the server once', () => {
  const listener = reports();
  noteBuild(OWN);
  expect(listener).not.toHaveBeenCalled();
  noteBuild(LATER);
  noteBuild(LATER);
  noteBuild('20261127190002-cccccccccccc');
  expect(listener).toHaveBeenCalledOnce();
});

it.each([
  [
    'an earlier build, which a web process still has during a deploy',
    '20261127185959-ba9876543210',
  ],
  ['the same files, built again', '20261127190001-0123456789ab'],
  ['no build', null],
  ['what is no build', '99999999999999-<script>'],
])('reports nothing about %s', (_what, build) => {
  const listener = reports();
  noteBuild(build);
  expect(listener).not.toHaveBeenCalled();
});

it('reports nothing in a page without a build, as that of the development server', () => {
  const listener = reports('');
  noteBuild(LATER);
  expect(listener).not.toHaveBeenCalled();
});
