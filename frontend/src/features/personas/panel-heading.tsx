import { t } from 'virtual:texts/personaChoice';
import type { PartAuthor, PersonaRef } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { personasQuery } from './api.ts';
import { SymbolOf } from './persona-symbol.tsx';

/** Above each part of a panel: its author. It is not part of the text, so that a selection is copied without it. */
export function PanelHeading({ personaId, personaName }: PartAuthor) {
  const { data: personas } = useQuery(personasQuery);
  const persona = personas?.find(({ id }) => id === personaId);
  return (
    <h3
      data-part="author"
      className="mt-6 mb-2 flex items-center gap-2 text-sm font-medium text-muted select-none first:mt-0"
    >
      {personaId !== undefined && (
        <span
          aria-hidden="true"
          className="grid size-6 shrink-0 place-items-center overflow-hidden rounded-sm border border-line bg-surface"
        >
          <SymbolOf persona={persona ?? { avatar: '', name: personaName ?? '' }} />
        </span>
      )}
      <bdi className="min-w-0 truncate">
        {personaId === undefined ? t('synthesis') : personaName}
      </bdi>
    </h3>
  );
}

/** The persona that writes a reply. */
export const PersonaName = ({ persona }: { persona: PersonaRef | undefined }) =>
  persona ? (
    <p className="mb-1 truncate text-sm text-muted">{t('answeredAs', { name: persona.name })}</p>
  ) : null;
