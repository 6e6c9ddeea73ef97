import { t } from 'virtual:texts/personas';
import type { FusePersonasBody, PersonaSummary } from '@stolas/backend/contract';
import { MAX_FUSION_MEMBERS, PERSONA_LENGTHS } from '@stolas/backend/contract';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '../../../lib/number.ts';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { updatePersona } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Field } from '../../../ui/input.tsx';
import { SelectField } from '../../../ui/select.tsx';
import { showFailure } from '../../auth/index.ts';
import { previewFusion, saveFusion } from '../api.ts';
import { ABOVE_FOOTER, FormFooter } from '../form-footer.tsx';
import { FormHead } from '../form-head.tsx';
import { isLimit } from '../limit-notice.tsx';
import { showList } from '../place.ts';
import { Room } from '../room.tsx';
import { Trial } from '../trial/trial.tsx';
import { evenly, isComplete, isTwice, LETTERS, type Member } from './members.ts';
import { Provenance } from './provenance.tsx';
import { ShareBar } from './share-bar.tsx';
import { useVoices } from './use-voices.ts';

/** Previews are limited: none while the bar is being dragged. */
const DELAY_MS = 300;

/** Chooses members and weights, and shows the resulting prompt line by line. */
export function FusionEditor({ personas }: { personas: readonly PersonaSummary[] }) {
  const client = useQueryClient();
  const [members, setMembers] = useState<readonly Member[]>(() =>
    evenly([
      { id: '', weight: 0 },
      { id: '', weight: 0 },
    ]),
  );
  const [name, setName] = useState('');
  const body = { members: [...members], ...(name.trim() !== '' && { name: name.trim() }) };
  const isReady = isComplete(members);
  const previewed = useDelayed(isReady ? JSON.stringify(body) : '', DELAY_MS);
  const preview = useQuery({
    queryKey: ['fusion-preview', previewed],
    queryFn: ({ signal }) => previewFusion(JSON.parse(previewed) as FusePersonasBody, signal),
    enabled: previewed !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const save = useMutation({
    mutationFn: () => saveFusion(body),
    onSuccess: (persona) => {
      updatePersona(client, persona);
      showList();
    },
    onError: (error) => (isLimit(error) ? undefined : showFailure(t('notSaved'))(error)),
  });
  const names = members.map(
    ({ id }, at) => personas.find((persona) => persona.id === id)?.name ?? LETTERS[at] ?? '',
  );
  const voices = useVoices(body, { names, isReady });
  const change = (at: number, id: string) =>
    setMembers(members.map((member, index) => (index === at ? { ...member, id } : member)));

  return (
    <>
      <FormHead title={t('fuseTitle')} room={<Room personas={personas} />} />
      <p className="mt-4 max-w-xl text-muted">{t('fuseText')}</p>
      <form
        className={cn('mt-6 grid gap-5', ABOVE_FOOTER)}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <ul className="grid gap-3 sm:grid-cols-2">
          {members.map((member, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the letter of a member is its place
            <li key={at} className="flex flex-wrap items-end gap-3">
              <SelectField
                label={t('member', { letter: LETTERS[at] ?? '' })}
                className="min-w-40 flex-1"
                value={member.id}
                onChange={({ target }) => change(at, target.value)}
              >
                <option value="">{t('choose')}</option>
                {personas.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </SelectField>
              {members.length > 2 && (
                <IconButton
                  label={t('removeMember', { letter: LETTERS[at] ?? '' })}
                  onClick={() => setMembers(evenly(members.filter((_, index) => index !== at)))}
                >
                  <X aria-hidden="true" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
        {members.length < MAX_FUSION_MEMBERS && (
          <Button
            size="sm"
            className="justify-self-start"
            onClick={() => setMembers(evenly([...members, { id: '', weight: 0 }]))}
          >
            {t('addMember')}
          </Button>
        )}
        <ShareBar members={members} names={names} onChange={setMembers} />
        <output className="block text-sm text-danger empty:hidden">
          {isTwice(members) && t('twice')}
        </output>
        <Field
          label={t('fusionName')}
          value={name}
          maxLength={PERSONA_LENGTHS.name}
          onChange={({ target }) => setName(target.value)}
          className="max-w-sm"
        />
        <FormFooter error={save.error}>
          <Button type="submit" variant="primary" disabled={!isReady} busy={save.isPending}>
            {t('saveFusion')}
          </Button>
        </FormFooter>
      </form>
      {voices && (
        <section aria-labelledby="hear" className="mt-8">
          <h2 id="hear" className="font-medium">
            {t('hear')}
          </h2>
          <p className="mt-1 mb-4 max-w-xl text-sm text-muted">{t('hearText')}</p>
          <Trial subjects={voices} question={t('hearQuestion')} />
        </section>
      )}
      {isReady && preview.data && (
        <section className="mt-8 rounded-lg border border-line bg-surface p-4">
          <Provenance fusion={preview.data} memberIds={members.map(({ id }) => id)} />
          <p className="mt-4 text-sm text-muted">
            {t('tokens', {
              count: formatNumber(preview.data.tokens),
              most: formatNumber(preview.data.maxTokens),
            })}
          </p>
        </section>
      )}
      {isReady && preview.isError && (
        <p className="mt-8 text-sm text-muted">{t('previewFailed')}</p>
      )}
    </>
  );
}
