import { t } from 'virtual:texts/personas';
import type { PersonaSummary } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { isGone } from '../../lib/api.ts';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { roleIn } from '../grants/index.ts';
import { personaQuery, personasQuery } from './api.ts';
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
  if (isError && !personas) return <NotLoaded onRetry={() => void refetch()} />;
  if (!personas) return <Loading />;
  // Who may only use a persona does not see its text.
  const seen = personas.filter((one) => roleIn(one) !== 'viewer');
  if (place.show === 'fusion') return <FusionEditor personas={seen} />;
  if (place.show === 'list') return <PersonaLists personas={personas} />;
  if (place.id === NEW) return <PersonaEditor key={NEW} personas={personas} />;
  const isSeen = seen.some(({ id }) => id === place.id);
  return <OpenEditor key={place.id} id={place.id} personas={personas} isSeen={isSeen} />;
}

interface OpenEditorProps {
  id: string;
  personas: readonly PersonaSummary[];
  /** Whether the user may see its text now. */
  isSeen: boolean;
}

/** The editor of a persona, which stays when the persona is gone: it has what the user has typed. */
function OpenEditor({ id, personas, isSeen }: OpenEditorProps) {
  const { data: persona, error, refetch } = useQuery({ ...personaQuery(id), enabled: isSeen });
  if (persona && roleIn(persona) !== 'viewer')
    return <PersonaEditor persona={persona} personas={personas} isLost={!isSeen} />;
  if (!isSeen || persona || isGone(error)) return <PersonaLists personas={personas} />;
  return error ? <NotLoaded onRetry={() => void refetch()} /> : <Loading />;
}

const NotLoaded = ({ onRetry }: { onRetry: () => void }) => (
  <ErrorState
    className="py-16"
    title={t('loadFailedTitle')}
    description={t('loadFailed')}
    onRetry={onRetry}
  />
);

const Loading = () => (
  <div className="grid gap-4 pt-4">
    <span className="sr-only">{t('loading')}</span>
    {[0, 1, 2, 3].map((row) => (
      <Skeleton key={row} className="h-16" />
    ))}
  </div>
);
