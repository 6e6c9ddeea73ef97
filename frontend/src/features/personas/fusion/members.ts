/** A member of a fusion as it is chosen; `id` is empty until then. */
export interface Member {
  id: string;
  weight: number;
}

export const LETTERS = ['A', 'B', 'C', 'D'] as const;

export const sumOf = (members: readonly Member[]): number =>
  members.reduce((sum, { weight }) => sum + weight, 0);

/** Equal weights that sum to 100, the first ones one more. */
export const evenly = (members: readonly Member[]): Member[] =>
  members.map((member, at) => ({
    ...member,
    weight: Math.floor(100 / members.length) + (at < 100 % members.length ? 1 : 0),
  }));

export const isTwice = (members: readonly Member[]): boolean => {
  const chosen = members.map(({ id }) => id).filter((id) => id !== '');
  return new Set(chosen).size < chosen.length;
};

export const isComplete = (members: readonly Member[]): boolean =>
  members.every(({ id }) => id !== '') && !isTwice(members) && sumOf(members) === 100;
