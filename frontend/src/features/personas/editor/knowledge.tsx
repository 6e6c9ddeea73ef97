import { t } from 'virtual:texts/personas';
import { PERSONA_COUNTS, PERSONA_LENGTHS, type PersonaFields } from '@stolas/backend/contract';
import { useId } from 'react';
import { Field } from '../../../ui/input.tsx';
import { type EntriesProps, List } from './entries.tsx';
import { KnowledgeFile } from './knowledge-file.tsx';
import { fromWords, toWords } from './rules.ts';
import { TextArea } from './text-area.tsx';

type Knowledge = PersonaFields['knowledge'][number];

/** Texts and files that are sent when their keywords occur. */
export const KnowledgeList = (props: EntriesProps<Knowledge>) => (
  <List
    {...props}
    title={t('knowledge')}
    hint={t('knowledgeHint')}
    add={t('addKnowledge')}
    empty={{ keys: [], text: '' }}
    most={PERSONA_COUNTS.knowledge}
  >
    {(entry, change) => (
      <>
        <Keys entry={entry} readOnly={props.readOnly} onChange={change} />
        {!props.readOnly && (
          <Source
            isFile={entry.fileId !== undefined}
            onChange={(isFile) =>
              change({ keys: entry.keys, ...(isFile ? { fileId: '' } : { text: '' }) })
            }
          />
        )}
        {entry.fileId === undefined ? (
          <TextArea
            label={t('text')}
            value={entry.text ?? ''}
            maxLength={PERSONA_LENGTHS.knowledge}
            readOnly={props.readOnly}
            onChange={(text) => change({ keys: entry.keys, text })}
          />
        ) : (
          <KnowledgeFile
            fileId={entry.fileId}
            readOnly={props.readOnly}
            onChange={(fileId) => change({ keys: entry.keys, fileId })}
          />
        )}
      </>
    )}
  </List>
);

interface KeysProps {
  entry: Knowledge;
  readOnly: boolean;
  onChange: (entry: Knowledge) => void;
}

/** The box keeps what is typed, commas included, while it has the focus. */
const Keys = ({ entry, readOnly, onChange }: KeysProps) => (
  <Field
    label={t('keys')}
    hint={t('keysHint')}
    defaultValue={fromWords(entry.keys)}
    readOnly={readOnly}
    onChange={({ target }) => onChange({ ...entry, keys: toWords(target.value) })}
  />
);

interface SourceProps {
  isFile: boolean;
  onChange: (isFile: boolean) => void;
}

/** Whether an entry is a text or a file. */
function Source({ isFile, onChange }: SourceProps) {
  const name = useId();
  return (
    <fieldset className="flex gap-5 text-sm">
      <legend className="sr-only">{t('source')}</legend>
      {[false, true].map((value) => (
        <label key={String(value)} className="flex items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="radio"
            name={name}
            checked={isFile === value}
            onChange={() => onChange(value)}
            className="size-4 accent-accent"
          />
          {value ? t('fromFile') : t('fromText')}
        </label>
      ))}
    </fieldset>
  );
}
