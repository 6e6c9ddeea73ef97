import { t } from 'virtual:texts/personaChoice';
import type { PanelChoice } from '@stolas/backend/contract';
import { Drama } from 'lucide-react';
import { useRef, useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { usePersona, usePersonas } from './api.ts';

const Choice = lazyPart(async () => (await import('./persona-choice.tsx')).PersonaChoice, {
  missing: 'floating',
});

interface PersonaButtonProps {
  /** The persona of the next reply; null without one. */
  personaId: string | null;
  /** Whether the members of a fusion answer as a panel; null: it answers as one. */
  panel: PanelChoice | null;
  onChoose: (personaId: string | null) => void;
  onPanel: (panel: PanelChoice | null) => void;
}

/** Opens the choice of the persona and loads its code. */
export function PersonaButton({ personaId, onChoose, ...choice }: PersonaButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const personas = usePersonas({ isEnabled: isOpen || personaId !== null });
  const persona = usePersona(personaId);
  return (
    <>
      <IconButton
        ref={button}
        label={persona ? t('personaIs', { name: persona.name }) : t('persona')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={persona ? NAMED : undefined}
        data-persona
        onClick={() => setOpen(!isOpen)}
      >
        {persona?.avatar ? (
          <span aria-hidden="true" className="text-lg leading-none">
            {persona.avatar}
          </span>
        ) : (
          <CardPicture picture={persona?.pictureUrl} />
        )}
        {persona && (
          <bdi aria-hidden="true" className="max-w-16 truncate text-xs sm:max-w-32">
            {persona.name}
          </bdi>
        )}
      </IconButton>
      {isOpen && (
        <Choice
          button={button}
          chosen={persona ?? null}
          onClose={() => setOpen(false)}
          {...choice}
          onChoose={(id) => {
            // Next, the user chooses how a fusion answers.
            setOpen(personas.some((it) => it.id === id && it.fusion));
            onChoose(id);
          }}
        />
      )}
    </>
  );
}

/** As wide as the name of the persona. */
const NAMED = 'w-auto gap-1.5 px-2 text-accent pointer-coarse:w-auto';

const CardPicture = ({ picture }: { picture: string | undefined }) =>
  picture === undefined ? (
    <Drama aria-hidden="true" />
  ) : (
    <img src={picture} alt="" className="size-6 rounded-sm object-cover object-top" />
  );
