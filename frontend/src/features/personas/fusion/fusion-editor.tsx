import { t } from 'virtual:texts/personas';
import type { Persona } from '@stolas/backend/contract';
import { MAX_FUSION_MEMBERS, PERSONA_LENGTHS } from '@stolas/backend/contract';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, X } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '../../../lib/number.ts';
import { updatePersona } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Field } from '../../../ui/input.tsx';
import { SelectField } from '../../../ui/select.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { showFailure } from '../../auth/index.ts';
import { previewFusion, saveFusion } from '../api.ts';
import { isLimit, LimitNotice } from '../limit-notice.tsx';
import { showList } from '../place.ts';
import { TrialButton } from '../trial/trial-button.tsx';
import { evenly, isComplete, isTwice, LETTERS, type Member, sumOf } from './members.ts';
import { Provenance } from './provenance.tsx';

/** Chooses members and weights, and shows what becomes of each line. */
export function FusionEditor({ personas }: { personas: readonly Persona[] }) {
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
  const preview = useQuery({
    queryKey: ['fusion-preview', body],
    queryFn: ({ signal }) => previewFusion(body, signal),
    enabled: isReady,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const save = useMutation({
    mutationFn: () => saveFusion(body),
    onSuccess: (persona) => {
      updatePersona(client, persona);
      toast({ title: t('saved') });
      showList();
    },
    onError: (error) => (isLimit(error) ? undefined : showFailure(t('notSaved'))(error)),
  });
  const change = (at: number, changes: Partial<Member>) =>
    setMembers(members.map((member, index) => (index === at ? { ...member, ...changes } : member)));

  return (
    <>
      <Button variant="ghost" className="-ml-4" onClick={showList}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        {t('back')}
      </Button>
      <h1 className="mt-2 text-xl font-semibold">{t('fuseTitle')}</h1>
      <p className="mt-2 max-w-xl text-muted">{t('fuseText')}</p>
      <form
        className="mt-6 grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <ul className="grid gap-3">
          {members.map((member, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the letter of a member is its place
            <li key={at} className="flex flex-wrap items-end gap-3">
              <MemberFields
                letter={LETTERS[at] ?? ''}
                member={member}
                personas={personas}
                onChange={(changes) => change(at, changes)}
              />
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
        <output className="block text-sm text-danger empty:hidden">
          {isTwice(members)
            ? t('twice')
            : sumOf(members) !== 100 && t('sum', { sum: sumOf(members) })}
        </output>
        <Field
          label={t('fusionName')}
          value={name}
          maxLength={PERSONA_LENGTHS.name}
          onChange={({ target }) => setName(target.value)}
          className="max-w-sm"
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" variant="primary" disabled={!isReady} busy={save.isPending}>
            {t('saveFusion')}
          </Button>
          <TrialButton
            disabled={!isReady}
            subjects={[
              ...members.map(({ id }, at) => ({
                name: t('tryMember', {
                  letter: LETTERS[at] ?? '',
                  name: personas.find((persona) => persona.id === id)?.name ?? '',
                }),
                personaId: id,
              })),
              { name: body.name ?? t('tryFusion'), draft: { fusion: body } },
            ]}
          />
        </div>
        {save.isError && isLimit(save.error) && <LimitNotice />}
      </form>
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

interface MemberFieldsProps {
  letter: string;
  member: Member;
  personas: readonly Persona[];
  onChange: (changes: Partial<Member>) => void;
}

function MemberFields({ letter, member, personas, onChange }: MemberFieldsProps) {
  return (
    <>
      <SelectField
        label={t('member', { letter })}
        className="min-w-40 flex-1"
        value={member.id}
        onChange={({ target }) => onChange({ id: target.value })}
      >
        <option value="">{t('choose')}</option>
        {personas.map((persona) => (
          <option key={persona.id} value={persona.id}>
            {persona.name}
          </option>
        ))}
      </SelectField>
      <Field
        label={t('weight')}
        className="w-36"
        type="number"
        min={0}
        max={100}
        step={1}
        value={member.weight}
        onChange={({ target }) => onChange({ weight: Math.trunc(Number(target.value)) })}
      />
    </>
  );
}
