import { t } from 'virtual:texts/personas';
import { Slider } from 'radix-ui';
import type { KeyboardEvent } from 'react';
import { formatPercent } from '../../../lib/number.ts';
import { cn } from '../../../ui/cn.ts';
import { boundsOf, LETTERS, type Member, sharesInWords, withBounds } from './members.ts';

const FILLS = ['bg-accent', 'bg-cool', 'bg-success', 'bg-danger'];
const LARGE_STEP = 5;
/** Keys that move by the large step; Radix moves by ten. */
const LARGE: Readonly<Record<string, number>> = {
  PageUp: LARGE_STEP,
  PageDown: -LARGE_STEP,
  'Shift+ArrowUp': LARGE_STEP,
  'Shift+ArrowRight': LARGE_STEP,
  'Shift+ArrowDown': -LARGE_STEP,
  'Shift+ArrowLeft': -LARGE_STEP,
};

interface ShareBarProps {
  members: readonly Member[];
  /** Of the members, in their order. */
  names: readonly string[];
  onChange: (members: Member[]) => void;
}

/** One bar that the members divide: each handle moves share from one of its neighbours to the other, so the sum stays 100. */
export function ShareBar({ members, names, onChange }: ShareBarProps) {
  const bounds = boundsOf(members);
  const named = members.map(({ weight }, at) => ({ weight, name: names[at] ?? '' }));
  const move = (at: number, by: number) => {
    const value = Math.min(
      bounds[at + 1] ?? 100,
      Math.max(bounds[at - 1] ?? 0, (bounds[at] ?? 0) + by),
    );
    onChange(withBounds(members, bounds.with(at, value)));
  };
  const onKey = (event: KeyboardEvent, at: number) => {
    const by = LARGE[`${event.shiftKey ? 'Shift+' : ''}${event.key}`];
    if (by === undefined) return;
    event.preventDefault();
    move(at, by);
  };
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium">{t('shares')}</p>
      <Slider.Root
        value={bounds}
        onValueChange={(values) => onChange(withBounds(members, values))}
        className="relative flex h-11 touch-none items-center select-none"
      >
        <Slider.Track className="flex h-8 grow overflow-hidden rounded-sm border border-control">
          {members.map(({ weight }, at) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- the letter of a member is its place
              key={at}
              className={cn('h-full', FILLS[at])}
              style={{ width: `${weight}%` }}
            />
          ))}
        </Slider.Track>
        {bounds.map((_, at) => (
          <Slider.Thumb
            // oxlint-disable-next-line react/no-array-index-key -- a handle is where it stands
            key={at}
            aria-label={t('shareBar', { first: names[at] ?? '', second: names[at + 1] ?? '' })}
            aria-valuetext={sharesInWords(named)}
            onKeyDown={(event) => onKey(event, at)}
            className="block h-11 w-4 cursor-ew-resize rounded-full border-2 border-control bg-raised shadow-float"
          />
        ))}
      </Slider.Root>
      <ul className="mt-2 flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm">
        {named.map(({ name, weight }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the letter of a member is its place
          <li key={at} className="flex min-w-0 items-center gap-2">
            <span aria-hidden="true" className={cn('size-3 shrink-0 rounded-full', FILLS[at])} />
            <span className="tabular-nums">{formatPercent(weight)}</span>
            <bdi className="truncate">{name}</bdi>
            {name !== LETTERS[at] && <span className="text-muted">{LETTERS[at]}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
