import { t } from 'virtual:texts/shares';
import {
  type CreateShareBody,
  MAX_SHARE_DAYS,
  SHARE_AUDIENCES,
  SHARE_DAYS,
  SHARE_KINDS,
  type ShareAudience,
  type ShareInclude,
  type ShareKind,
} from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '../../ui/checkbox.tsx';
import { SelectField } from '../../ui/select.tsx';
import { workspacesQuery } from '../workspaces/index.ts';

/** What the user chooses about a link. */
export interface Choices {
  kind: ShareKind;
  /** `workspace` is followed by its id. */
  audience: string;
  days: number;
  include: ShareInclude;
}

export const FIRST_CHOICES: Choices = {
  kind: 'snapshot',
  audience: 'anyone',
  days: SHARE_DAYS,
  include: { files: false, names: false, reasoning: false },
};

const DAYS = [1, 7, SHARE_DAYS, 90, MAX_SHARE_DAYS];
const DAY_MS = 24 * 3_600_000;
/** The clocks of browser and server may differ. */
const MARGIN_MS = 3_600_000;

/** The choices as the server takes them. */
export function bodyOf({ kind, audience, days, include }: Choices): CreateShareBody {
  const [name, workspaceId] = audience.split(' ');
  const lifeMs = days * DAY_MS - (days === MAX_SHARE_DAYS ? MARGIN_MS : 0);
  return {
    kind,
    include,
    audience: name as ShareAudience,
    ...(workspaceId && { workspaceId }),
    expiresAt: new Date(Date.now() + lifeMs).toISOString(),
  };
}

interface ShareFormProps {
  choices: Choices;
  onChange: (choices: Choices) => void;
}

export function ShareForm({ choices, onChange }: ShareFormProps) {
  const { kind, audience, days, include } = choices;
  const set = (changed: Partial<Choices>) => onChange({ ...choices, ...changed });
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label={t('kind')}
          value={kind}
          onChange={({ target }) => set({ kind: target.value as ShareKind })}
        >
          {SHARE_KINDS.map((one) => (
            <option key={one} value={one}>
              {t(one)}
            </option>
          ))}
        </SelectField>
        <AudienceField value={audience} onChange={(chosen) => set({ audience: chosen })} />
        <SelectField
          label={t('expiry')}
          value={days}
          onChange={({ target }) => set({ days: Number(target.value) })}
        >
          {DAYS.map((count) => (
            <option key={count} value={count}>
              {t('days', { count })}
            </option>
          ))}
        </SelectField>
      </div>
      <fieldset className="grid gap-1">
        <legend className="mb-1.5 text-sm font-medium">{t('include')}</legend>
        {(['files', 'names', 'reasoning'] as const).map((part) => (
          <Checkbox
            key={part}
            label={t(part)}
            checked={include[part]}
            onChange={(checked) => set({ include: { ...include, [part]: checked } })}
          />
        ))}
      </fieldset>
    </div>
  );
}

/** Members of a workspace can be chosen by users who are in one. */
function AudienceField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data: workspaces = [] } = useQuery(workspacesQuery());
  const open = workspaces.filter(
    ({ closed, role, allowLinks }) => closed === null && role !== 'viewer' && allowLinks,
  );
  return (
    <SelectField
      label={t('audience')}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {SHARE_AUDIENCES.filter((audience) => audience !== 'workspace').map((audience) => (
        <option key={audience} value={audience}>
          {t(audience)}
        </option>
      ))}
      {open.map(({ id, name }) => (
        <option key={id} value={`workspace ${id}`}>
          {t('membersOf', { name })}
        </option>
      ))}
    </SelectField>
  );
}
