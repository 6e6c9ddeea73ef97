import { t } from 'virtual:texts/chat';
import type { PresentPerson } from '@stolas/backend/contract';
import { useOthers } from '../../realtime/index.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useArrivals } from './use-arrivals.ts';
import { useIsPhone } from './use-media.ts';

// docs/product.md, 'Limits'.
const MAX_AVATARS = 4;
const MAX_AVATARS_PHONE = 2;

/** The others who have a shared conversation open. */
export function PresentPeople({ id, userId }: { id: string; userId: string }) {
  const others = useOthers(id, userId);
  const { people, count } = others ?? { people: [], count: 0 };
  const arrivals = useArrivals(others?.people);
  const max = useIsPhone() ? MAX_AVATARS_PHONE : MAX_AVATARS;
  // In the order of their names, so that nobody moves while somebody writes.
  const sorted = people.toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  const shown = sorted.slice(0, max);
  const names = sorted.map(({ name }) => name);
  const more = count - sorted.length;
  return (
    <>
      {shown.length > 0 && (
        <Tooltip label={<Names people={sorted} more={more} />}>
          <div
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the initials are text, and read as one picture
            role="img"
            aria-label={t('alsoHere', { names: namesWith(names, more) })}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the names appear with the focus
            tabIndex={0}
            className="flex shrink-0 items-center -space-x-1.5 rounded-full"
          >
            {shown.map(({ id: personId, name }) => (
              <Avatar key={personId} name={name} className="size-6 text-xs ring-2 ring-ground" />
            ))}
            {count > shown.length && (
              <span className="pl-2.5 text-xs text-muted">+{count - shown.length}</span>
            )}
          </div>
        </Tooltip>
      )}
      <p aria-live="polite" className="sr-only">
        {arrivals}
      </p>
    </>
  );
}

const Names = ({ people, more }: { people: readonly PresentPerson[]; more: number }) => (
  <ul>
    {people.map(({ id, name }) => (
      <li key={id}>
        <bdi>{name}</bdi>
      </li>
    ))}
    {more > 0 && <li>{t('othersHere', { count: more })}</li>}
  </ul>
);

const namesWith = (names: readonly string[], more: number): string =>
  [...names, ...(more > 0 ? [t('othersHere', { count: more })] : [])].join(', ');
