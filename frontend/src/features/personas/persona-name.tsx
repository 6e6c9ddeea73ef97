import type { PersonaRef } from '@stolas/backend/contract';
import { t } from '../../i18n/persona-choice.ts';

/** Which persona a reply is written as. */
export const PersonaName = ({ persona }: { persona: PersonaRef | undefined }) =>
  persona ? (
    <p className="mb-1 truncate text-sm text-muted">{t('answeredAs', { name: persona.name })}</p>
  ) : null;
