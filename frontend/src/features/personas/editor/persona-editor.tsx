import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import type { Persona, PersonaSummary } from '@stolas/backend/contract';
import { PERSONA_LENGTHS } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { updatePersona as showPersona } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Field } from '../../../ui/input.tsx';
import { showFailure } from '../../auth/index.ts';
import { mayManage } from '../../grants/index.ts';
import { createPersona, personasQuery, updatePersona } from '../api.ts';
import { ABOVE_FOOTER, FormFooter } from '../form-footer.tsx';
import { FormHead } from '../form-head.tsx';
import { isLimit } from '../limit-notice.tsx';
import { showList } from '../place.ts';
import { Room } from '../room.tsx';
import { TrialButton } from '../trial/trial-button.tsx';
import { DepthField } from './depth-field.tsx';
import { ExampleList } from './entries.tsx';
import { changesOf, complete, fieldsOf } from './fields.ts';
import { KnowledgeList } from './knowledge.tsx';
import { ModelField } from './model-field.tsx';
import { Preview } from './preview.tsx';
import { fromRules, fromWords, toRules, toWords } from './rules.ts';
import { TextArea } from './text-area.tsx';
import { Traits } from './traits.tsx';

interface PersonaEditorProps {
  persona?: Persona;
  personas: readonly PersonaSummary[];
  /** The persona was deleted, or the user may not change it any more. */
  isLost?: boolean;
}

/** Creates or changes a persona, beside a preview of its prompt. Creates one when none is given, and when it is lost. */
export function PersonaEditor({ persona, personas, isLost = false }: PersonaEditorProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(() => fieldsOf(persona));
  // Lists are kept as text, so that the typed text stays.
  const [tone, setTone] = useState(() => fromWords(fields.tone));
  const [always, setAlways] = useState(() => fromRules(fields.do));
  const [never, setNever] = useState(() => fromRules(fields.dont));
  const [version, setVersion] = useState(persona?.version ?? 1);
  const changed = isLost ? undefined : persona;
  const readOnly = persona?.isReadyMade ?? false;
  const mayRename = !changed || mayManage(changed);
  const written = complete({
    ...fields,
    tone: toWords(tone),
    do: toRules(always),
    dont: toRules(never),
  });
  const change = (changes: Partial<typeof fields>) => setFields({ ...fields, ...changes });
  const save = useMutation({
    mutationFn: () =>
      changed
        ? updatePersona(changed.id, version, changesOf(written, changed))
        : createPersona(written),
    onSuccess: (saved) => {
      showPersona(client, saved);
      showList();
    },
    onError: (error) => {
      if (isLimit(error)) return;
      if (error instanceof ApiError && error.body?.code === 'version_conflict') {
        const { version: current } = error.body.details ?? {};
        // Saving again overwrites what was changed elsewhere in the same fields.
        if (typeof current === 'number') setVersion(current);
      }
      // It may be lost.
      if (persona) void client.invalidateQueries(personasQuery);
      showFailure(t('notSaved'))(error);
    },
  });

  return (
    <>
      <FormHead title={persona?.name ?? t('new')} room={!changed && <Room personas={personas} />} />
      {isLost && (
        <p role="alert" className="mt-2 text-danger">
          {t('lost')}
        </p>
      )}
      {readOnly && <p className="mt-2 text-muted">{t('readOnly')}</p>}
      <div className="mt-6 grid gap-8 lg:grid-cols-2">
        <form
          className={cn('grid content-start gap-5', ABOVE_FOOTER)}
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <div className="grid grid-cols-[1fr_6rem] gap-3">
            <Field
              label={t('name')}
              required
              value={fields.name}
              maxLength={PERSONA_LENGTHS.name}
              readOnly={readOnly || !mayRename}
              onChange={({ target }) => change({ name: target.value })}
            />
            <Field
              label={t('avatar')}
              value={fields.avatar}
              maxLength={PERSONA_LENGTHS.avatar}
              readOnly={readOnly}
              onChange={({ target }) => change({ avatar: target.value })}
            />
          </div>
          <Field
            label={t('role')}
            hint={t('roleHint')}
            value={fields.role}
            maxLength={PERSONA_LENGTHS.role}
            readOnly={readOnly}
            onChange={({ target }) => change({ role: target.value })}
          />
          <TextArea
            label={t('instructions')}
            hint={t('instructionsHint')}
            rows={5}
            value={fields.instructions}
            maxLength={PERSONA_LENGTHS.instructions}
            readOnly={readOnly}
            onChange={(instructions) => change({ instructions })}
          />
          <Traits
            traits={fields.traits}
            disabled={readOnly}
            onChange={(traits) => change({ traits })}
          />
          <Field
            label={t('tone')}
            hint={t('toneHint')}
            value={tone}
            readOnly={readOnly}
            onChange={({ target }) => setTone(target.value)}
          />
          <TextArea
            label={t('do')}
            hint={t('rulesHint')}
            value={always}
            readOnly={readOnly}
            onChange={setAlways}
          />
          <TextArea label={t('dont')} value={never} readOnly={readOnly} onChange={setNever} />
          <TextArea
            label={t('description')}
            hint={t('descriptionHint')}
            value={fields.description}
            maxLength={PERSONA_LENGTHS.description}
            readOnly={readOnly}
            onChange={(description) => change({ description })}
          />
          <KnowledgeList
            entries={fields.knowledge}
            readOnly={readOnly}
            onChange={(knowledge) => change({ knowledge })}
          />
          <ExampleList
            entries={fields.examples}
            readOnly={readOnly}
            onChange={(examples) => change({ examples })}
          />
          <TextArea
            label={t('greeting')}
            hint={t('greetingHint')}
            rows={2}
            value={fields.greeting}
            maxLength={PERSONA_LENGTHS.greeting}
            readOnly={readOnly}
            onChange={(greeting) => change({ greeting })}
          />
          <DepthField
            value={fields.depth}
            disabled={readOnly}
            onChange={(depth) => change({ depth })}
          />
          <ModelField
            value={fields.model}
            disabled={readOnly}
            onChange={(model) => change({ model })}
          />
          <FormFooter error={save.error}>
            {!readOnly && (
              <Button type="submit" variant="primary" busy={save.isPending}>
                {isLost ? t('saveAsNew') : common('save')}
              </Button>
            )}
            <TrialButton
              disabled={written.name.trim() === ''}
              subjects={[
                {
                  name: written.name,
                  ...(persona && readOnly
                    ? { personaId: persona.id }
                    : { draft: { persona: written } }),
                },
              ]}
            />
          </FormFooter>
        </form>
        <Preview fields={written} />
      </div>
    </>
  );
}
