import { t } from 'virtual:texts/personaPanel';
import { type PanelChoice, type PersonaSummary, READY_MADE_ID } from '@stolas/backend/contract';
import { useId } from 'react';

/**
 * The number of a fusion's members that can answer: they have a weight and still exist. The list has the ready-made ones of one language
 * only.
 */
export const panelMembers = (
  { members }: NonNullable<PersonaSummary['fusion']>,
  personas: readonly PersonaSummary[] = [],
): number =>
  members.filter(
    ({ id, weight }) =>
      weight > 0 && (READY_MADE_ID.test(id) || personas.some((it) => it.id === id)),
  ).length;

interface PanelOptionsProps {
  /** Null: the fusion answers as one. */
  panel: PanelChoice | null;
  onPanel: (panel: PanelChoice | null) => void;
  /** How many can answer. */
  members: number;
}

/** Whether a fusion answers as one or as a panel of its members. */
export function PanelOptions({ panel, onPanel, members }: PanelOptionsProps) {
  const name = useId();
  const isPossible = members > 1;
  const replies = members + (panel?.synthesis ? 1 : 0);
  return (
    <fieldset className="mt-0.5 mb-2 ml-8.5 grid gap-0.5 text-sm">
      <legend className="sr-only">{t('legend')}</legend>
      <Option
        type="radio"
        name={name}
        label={t('asOne')}
        checked={!panel}
        onChange={() => onPanel(null)}
      />
      <Option
        type="radio"
        name={name}
        label={t('asPanel')}
        checked={panel !== null}
        disabled={!isPossible}
        onChange={() => onPanel({ synthesis: false })}
      />
      {panel && isPossible && (
        <div className="ps-6">
          <Option
            type="checkbox"
            label={t('synthesis')}
            checked={panel.synthesis}
            onChange={() => onPanel({ synthesis: !panel.synthesis })}
          />
        </div>
      )}
      <p className="text-xs text-muted" aria-live="polite">
        {isPossible ? t('cost', { members, replies }) : t('tooFew')}
      </p>
    </fieldset>
  );
}

interface OptionProps {
  type: 'radio' | 'checkbox';
  name?: string;
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChange: () => void;
}

const Option = ({ label, ...input }: OptionProps) => (
  <label className="flex min-h-8 items-center gap-2.5 pointer-coarse:min-h-11">
    <input {...input} className="size-4 shrink-0 accent-accent" />
    <span className={input.disabled ? 'text-muted' : undefined}>{label}</span>
  </label>
);
