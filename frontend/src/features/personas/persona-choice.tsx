import { t } from 'virtual:texts/personaChoice';
import type { PanelChoice, PersonaSummary } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { RefObject } from 'react';
import { Link } from 'wouter';
import { cn } from '../../ui/cn.ts';
import { Popover } from '../../ui/popover.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { personasQuery } from './api.ts';
import { sharesInWords } from './fusion/members.ts';
import { PanelOptions, panelMembers } from './panel-options.tsx';

interface PersonaChoiceProps {
  button: RefObject<HTMLButtonElement | null>;
  chosen: PersonaSummary | null;
  panel: PanelChoice | null;
  onPanel: (panel: PanelChoice | null) => void;
  onChoose: (personaId: string | null) => void;
  onClose: () => void;
}

/** The personas to choose from, beside the button. */
export function PersonaChoice({
  button,
  chosen,
  onChoose,
  onClose,
  ...choice
}: PersonaChoiceProps) {
  const { data: personas, isError } = useQuery(personasQuery);
  const personaId = chosen?.id ?? null;
  const fusion = chosen?.fusion;
  const isListed = !chosen || personas?.some(({ id }) => id === chosen.id);
  const options = [
    { id: null, name: t('noPersona'), line: '' },
    ...[...(isListed ? [] : [chosen]), ...(personas ?? [])].map((persona) => ({
      id: persona.id,
      name: persona.name,
      line: persona.fusion ? sharesInWords(persona.fusion.members) : persona.role,
    })),
  ];
  return (
    <Popover button={button} label={t('persona')} onClose={onClose} className="w-72 p-1.5">
      <ul>
        {options.map(({ id, name, line }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === personaId}
              onClick={() => onChoose(id)}
              className="flex min-h-9 w-full items-center gap-2.5 rounded-sm px-2.5 py-1.5 text-left text-sm hover:bg-hover pointer-coarse:min-h-11"
            >
              <Check
                aria-hidden="true"
                className={cn('size-4 shrink-0 text-accent', id !== personaId && 'invisible')}
              />
              <span className="min-w-0">
                <bdi className="block truncate">{name}</bdi>
                {line !== '' && <bdi className="block truncate text-muted">{line}</bdi>}
              </span>
            </button>
            {fusion && id === personaId && (
              <PanelOptions {...choice} members={panelMembers(fusion, personas)} />
            )}
          </li>
        ))}
      </ul>
      {!personas && !isError && <Skeleton className="m-2.5 h-20" />}
      {isError && <p className="px-2.5 py-1.5 text-sm text-muted">{t('menuFailed')}</p>}
      <Link
        href="/personas"
        className="mt-1.5 flex min-h-9 items-center rounded-sm border-t border-line px-2.5 text-sm text-cool hover:bg-hover pointer-coarse:min-h-11"
      >
        {t('manage')}
      </Link>
    </Popover>
  );
}
