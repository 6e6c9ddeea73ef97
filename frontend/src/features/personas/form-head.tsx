import { t } from 'virtual:texts/personas';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { showList } from './place.ts';

interface FormHeadProps {
  title: string;
  /** The room in the plan for a new persona; empty for an existing one. */
  room?: ReactNode;
}

/** The way back, and the name of the form. */
export const FormHead = ({ title, room }: FormHeadProps) => (
  <>
    <Button variant="ghost" className="-ml-4" onClick={showList}>
      <ArrowLeft aria-hidden="true" className="size-4" />
      {t('back')}
    </Button>
    <h1 className="mt-2 text-xl font-semibold wrap-anywhere">
      <bdi>{title}</bdi>
    </h1>
    {room}
  </>
);
