import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { formatDate } from '../../lib/time.ts';
import { usePersonaName } from '../personas/index.ts';

const LINE = 'mt-0.5 text-xs text-muted wrap-anywhere';

/** The user's words from which a memory was made, as a link to their conversation, and the persona in whose conversations it is read. */
export const Origin = ({ memory: { source, createdAt, scope, scopeId } }: { memory: Memory }) => (
  <>
    {source && (
      <p className={LINE}>
        <Link href={`/?c=${source.conversationId}`} className="underline-offset-4 hover:underline">
          {t('saidOn', { date: formatDate(createdAt), quote: source.quote })}
        </Link>
      </p>
    )}
    {scope === 'persona' && scopeId !== null && <PersonaOf id={scopeId} />}
  </>
);

function PersonaOf({ id }: { id: string }) {
  const name = usePersonaName(id);
  if (name === undefined) return null;
  return <p className={LINE}>{name === null ? t('ofLostPersona') : t('ofPersona', { name })}</p>;
}
