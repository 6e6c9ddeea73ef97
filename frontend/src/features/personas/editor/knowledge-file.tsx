import { t } from 'virtual:texts/personas';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { FilePicker, fileQuery, isUsable } from '../../files/index.ts';

interface KnowledgeFileProps {
  /** Empty until one is chosen. */
  fileId: string;
  readOnly: boolean;
  onChange: (fileId: string) => void;
}

/** The file of an entry, by its name. */
export function KnowledgeFile({ fileId, readOnly, onChange }: KnowledgeFileProps) {
  const [isPicking, setPicking] = useState(false);
  const { data: file } = useQuery({ ...fileQuery(fileId), enabled: fileId !== '' });
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-0 text-sm">
        {fileId === '' && <span className="text-muted">{t('noFile')}</span>}
        {file && isUsable(file) && <bdi className="block truncate">{file.name}</bdi>}
        {!isUsable(file) && <span className="text-danger">{t('fileMissing')}</span>}
      </p>
      {!readOnly && (
        <Button size="sm" onClick={() => setPicking(true)}>
          {t('chooseFile')}
        </Button>
      )}
      {isPicking && (
        <FilePicker
          onClose={() => setPicking(false)}
          onChoose={({ id }) => {
            onChange(id);
            setPicking(false);
          }}
        />
      )}
    </div>
  );
}
