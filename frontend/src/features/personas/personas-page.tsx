import { t } from 'virtual:texts/personas';
import { useQuery } from '@tanstack/react-query';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { roleIn } from '../grants/index.ts';
import { personasQuery } from './api.ts';
import { PersonaEditor } from './editor/persona-editor.tsx';
import { FusionEditor } from './fusion/fusion-editor.tsx';
import { PersonaLists } from './persona-lists.tsx';
import { NEW, usePlace } from './place.ts';

/** /personas (docs/product.md, 'Personas'). */
export const PersonasPage = () => (
  <Page>
    <TooltipProvider>
      <Content />
    </TooltipProvider>
  </Page>
);

function Content() {
  const place = usePlace();
  const { data: personas, isError, refetch } = useQuery(personasQuery);
  if (isError && !personas)
    return (
      <ErrorState
        className="py-16"
        title={t('loadFailedTitle')}
        description={t('loadFailed')}
        onRetry={() => void refetch()}
      />
    );
  if (!personas) return <Loading />;
  // Who may only use a persona does not see its text.
  const seen = personas.filter((one) => roleIn(one) !== 'viewer');
  if (place.show === 'fusion') return <FusionEditor personas={seen} />;
  const persona = place.show === 'editor' ? seen.find(({ id }) => id === place.id) : undefined;
  if (place.show === 'editor' && (persona || place.id === NEW))
    return <PersonaEditor key={persona?.id ?? NEW} persona={persona} personas={personas} />;
  return <PersonaLists personas={personas} />;
}

const Loading = () => (
  <div className="grid gap-4 pt-4">
    <span className="sr-only">{t('loading')}</span>
    {[0, 1, 2, 3].map((row) => (
      <Skeleton key={row} className="h-16" />
    ))}
  </div>
);
