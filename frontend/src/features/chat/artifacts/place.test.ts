import { beforeEach, expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { closeArtifact, noteBegun, openArtifact, openByItself, takeFocus } from './place.ts';

const idOf = (n: number) => String(n).padStart(24, '0');
const place = (n: number, index = 0) => ({ messageId: idOf(n), index });
const shown = () => new URLSearchParams(location.search).get('artifact');

beforeEach(() => navigate('/?c=c1'));

it('opens by itself once for a reply that began in this page, without the focus', () => {
  noteBegun(idOf(1));
  openByItself(place(1));
  expect(shown()).toBe(`${idOf(1)}-0`);
  expect(takeFocus()).toBe(false);
  closeArtifact();
  openByItself(place(1, 1));
  expect(shown()).toBeNull();
});

it('does not open by itself for a reply that was there when the page was loaded', () => {
  openByItself(place(2));
  expect(shown()).toBeNull();
});

it('does not open by itself again what the user has opened and closed', () => {
  noteBegun(idOf(3));
  openArtifact(place(3));
  expect(takeFocus()).toBe(true);
  closeArtifact();
  openByItself(place(3));
  expect(shown()).toBeNull();
});

it('takes the place of neither a file nor an artifact that the user works in', () => {
  navigate(`/?c=c1&file=${idOf(9)}`);
  noteBegun(idOf(4));
  openByItself(place(4));
  expect(shown()).toBeNull();
  navigate('/?c=c1');
  document.body.innerHTML = '<div data-artifact><button>Add</button></div>';
  document.querySelector('button')?.focus();
  openByItself(place(4));
  expect(shown()).toBeNull();
  document.querySelector('button')?.blur();
  openByItself(place(4));
  expect(shown()).toBe(`${idOf(4)}-0`);
});

it('does not take the place of the claims that the user reads', () => {
  navigate(`/?c=c1&claims=${idOf(9)}`);
  noteBegun(idOf(5));
  openByItself(place(5));
  expect(shown()).toBeNull();
  expect(new URLSearchParams(location.search).get('claims')).toBe(idOf(9));
});
