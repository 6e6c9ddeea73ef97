import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import type { PersonaSummary } from '@stolas/backend/contract';
import { Combine, Import, Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useUser } from '../auth/index.ts';
import { GrantsDialog, sharedBy } from '../grants/index.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { LimitNotice } from './limit-notice.tsx';
import { PersonaRow } from './persona-row.tsx';
import { NEW, showEditor, showFusion } from './place.ts';
import { useRoom } from './room.tsx';

/** The user's personas and the ready-made ones. */
export function PersonaLists({ personas }: { personas: readonly PersonaSummary[] }) {
  const [isImporting, setImporting] = useState(false);
  const [deleting, setDeleting] = useState<PersonaSummary | null>(null);
  const [sharing, setSharing] = useState<PersonaSummary | null>(null);
  const [fullAt, setFullAt] = useState(Number.POSITIVE_INFINITY);
  const { user } = useUser();
  const made = personas.filter(({ isReadyMade }) => !isReadyMade);
  const own = made.filter((persona) => sharedBy(persona) === null);
  const shared = made.filter((persona) => sharedBy(persona) !== null);
  const room = useRoom(personas);
  const onLimit = () => setFullAt(own.length);
  const row = (persona: PersonaSummary) => (
    <PersonaRow
      key={persona.id}
      persona={persona}
      onDelete={setDeleting}
      onShare={setSharing}
      onLimit={onLimit}
    />
  );
  return (
    <>
      <h1 className="text-xl font-semibold">{common('personas')}</h1>
      <p className="mt-2 max-w-xl text-muted">{t('intro')}</p>
      <div className="mt-6 mb-4 flex flex-wrap items-center gap-3">
        <Button variant="primary" onClick={() => showEditor(NEW)}>
          <Plus aria-hidden="true" className="size-4" />
          {t('new')}
        </Button>
        {room && <span className="text-sm text-muted tabular-nums">{t('used', room)}</span>}
        <Button onClick={() => setImporting(true)}>
          <Import aria-hidden="true" className="size-4" />
          {t('import')}
        </Button>
        <Button onClick={showFusion}>
          <Combine aria-hidden="true" className="size-4" />
          {t('fuse')}
        </Button>
      </div>
      {own.length >= fullAt && <LimitNotice />}
      <h2 className="mt-8 font-medium">{t('own')}</h2>
      {own.length === 0 ? (
        <EmptyState
          icon={<Users aria-hidden="true" />}
          title={t('noneTitle')}
          description={t('none')}
        />
      ) : (
        <ul aria-label={t('own')} className="mt-2 divide-y divide-line">
          {own.map(row)}
        </ul>
      )}
      {shared.length > 0 && (
        <>
          <h2 className="mt-8 font-medium">{t('sharedWithYou')}</h2>
          <ul aria-label={t('sharedWithYou')} className="mt-2 divide-y divide-line">
            {shared.map(row)}
          </ul>
        </>
      )}
      <h2 className="mt-8 font-medium">{t('readyMade')}</h2>
      <ul aria-label={t('readyMade')} className="mt-2 divide-y divide-line">
        {personas.filter(({ isReadyMade }) => isReadyMade).map(row)}
      </ul>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} onLimit={onLimit} />}
      {sharing && user && (
        <GrantsDialog
          user={user}
          record={{ ...sharing, kind: 'personas' }}
          onClose={() => setSharing(null)}
        />
      )}
      {deleting && <DeleteDialog persona={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}
