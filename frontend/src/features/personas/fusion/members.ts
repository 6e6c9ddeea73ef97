import { formatPercent } from '../../../lib/number.ts';

/** A chosen member of a fusion; `id` is empty until then. The weights of all members sum to 100. */
export interface Member {
  id: string;
  weight: number;
}

export const LETTERS = ['A', 'B', 'C', 'D'] as const;

/** Equal weights, the first ones one more where 100 cannot be divided. */
export const evenly = (members: readonly Member[]): Member[] =>
  members.map((member, at) => ({
    ...member,
    weight: Math.floor(100 / members.length) + (at < 100 % members.length ? 1 : 0),
  }));

/** The position of the divider between one member and the next, in percent from the start. */
export function boundsOf(members: readonly Member[]): number[] {
  let sum = 0;
  return members.slice(0, -1).map(({ weight }) => {
    sum += weight;
    return sum;
  });
}

/** The members with their weights after the bar was divided at this position. */
export const withBounds = (members: readonly Member[], bounds: readonly number[]): Member[] =>
  members.map((member, at) => ({
    ...member,
    weight: (bounds[at] ?? 100) - (bounds[at - 1] ?? 0),
  }));

export const isTwice = (members: readonly Member[]): boolean => {
  const chosen = members.map(({ id }) => id).filter((id) => id !== '');
  return new Set(chosen).size < chosen.length;
};

export const isComplete = (members: readonly Member[]): boolean =>
  members.every(({ id }) => id !== '') && !isTwice(members);

/** '70% Ledger · 30% Critic': the members with a weight, in words. */
export const sharesInWords = (members: readonly { name: string; weight: number }[]): string =>
  members
    .filter(({ weight }) => weight > 0)
    .map(({ name, weight }) => `${formatPercent(weight)} ${name}`)
    .join(' · ');
