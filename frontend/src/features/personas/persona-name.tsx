import { t } from 'virtual:texts/personaChoice';
import type { PersonaRef } from '@stolas/backend/contract';

/** The persona that writes a reply. */
export const PersonaName = ({ persona }: { persona: PersonaRef | undefined }) =>
  persona ? (
    <p className="mb-1 truncate text-sm text-muted">{t('answeredAs', { name: persona.name })}</p>
  ) : null;
