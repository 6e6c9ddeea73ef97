import { t } from 'virtual:texts/personas';
import { PERSONA_COUNTS, PERSONA_LENGTHS } from '@stolas/backend/contract';
import { useId, useState } from 'react';
import { Field } from '../../../ui/input.tsx';
import { type EntriesProps, List } from './entries.tsx';
import { type Knowledge, lacksKeys, lacksSource, refuseWhile } from './fields.ts';
import { KnowledgeFile } from './knowledge-file.tsx';
import { fromWords, toWords } from './rules.ts';
import { TextArea } from './text-area.tsx';

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
            entry={entry}
            onChange={(isFile) =>
              change({ keys: entry.keys, ...(isFile ? { fileId: '' } : { text: '' }) })
            }
          />
        )}
        {entry.fileId === undefined ? (
          <TextArea
            ref={refuseWhile(lacksSource(entry))}
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

/** The box keeps what is typed, commas included. */
function Keys({ entry, readOnly, onChange }: KeysProps) {
  const [text, setText] = useState(() => fromWords(entry.keys));
  return (
    <Field
      ref={refuseWhile(lacksKeys(entry))}
      label={t('keys')}
      hint={t('keysHint')}
      value={text}
      readOnly={readOnly}
      onChange={({ target }) => {
        setText(target.value);
        onChange({ ...entry, keys: toWords(target.value) });
      }}
    />
  );
}

interface SourceProps {
  entry: Knowledge;
  onChange: (isFile: boolean) => void;
}

/** Whether an entry is a text or a file. */
function Source({ entry, onChange }: SourceProps) {
  const name = useId();
  const isFile = entry.fileId !== undefined;
  return (
    <fieldset className="flex gap-5 text-sm">
      <legend className="sr-only">{t('source')}</legend>
      {[false, true].map((value) => (
        <label key={String(value)} className="flex items-center gap-2 pointer-coarse:min-h-11">
          <input
            // A file is chosen by a button, which cannot refuse the form.
            ref={refuseWhile(isFile && lacksSource(entry))}
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
