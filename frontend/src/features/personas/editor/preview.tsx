import { t } from 'virtual:texts/personas';
import type { PersonaFields } from '@stolas/backend/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../../lib/number.ts';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { previewPersona } from '../api.ts';

const DELAY_MS = 300;

/** The prompt of the fields, as the server compiles it. */
export function Preview({ fields }: { fields: PersonaFields }) {
  // Without a message the prompt has no background, which may be long.
  const named = { ...fields, name: fields.name.trim() || '…', knowledge: [] };
  const key = useDelayed(JSON.stringify(named), DELAY_MS);
  const { data, isError } = useQuery({
    queryKey: ['persona-preview', key],
    queryFn: ({ signal }) => previewPersona(JSON.parse(key) as PersonaFields, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <section
      aria-label={t('preview')}
      className="rounded-lg border border-line bg-surface p-4 lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:self-start lg:overflow-y-auto"
    >
      <h2 className="text-sm font-medium">{t('preview')}</h2>
      {isError && <p className="mt-2 text-sm text-muted">{t('previewFailed')}</p>}
      {data && (
        <>
          <p className="mt-1 text-sm text-muted">
            {t('tokens', { count: formatNumber(data.tokens), most: formatNumber(data.maxTokens) })}
          </p>
          {data.tokens > data.maxTokens && (
            <p className="mt-1 text-sm text-danger">{t('tooLong')}</p>
          )}
          <pre dir="auto" className="mt-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
            {data.prompt}
          </pre>
        </>
      )}
    </section>
  );
}
