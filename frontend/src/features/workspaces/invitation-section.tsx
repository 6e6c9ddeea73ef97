import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import {
  GIVEN_ROLES,
  type GivenRole,
  type Invitation,
  type Workspace,
} from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { formatDay } from '../../lib/time.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
import { SelectField } from '../../ui/select.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { showFailure } from '../auth/index.ts';
import {
  invitationsQuery,
  invite,
  readAgain,
  revoke,
  sendAgain,
  setDomains,
  useAct,
} from './api.ts';
import { roleName } from './roles.ts';

/** The open invitations, the form for another one, and whether others may join without one. */
export function InvitationSection({ workspace }: { workspace: Workspace }) {
  const { id, seats, closed } = workspace;
  const { data, isError, refetch } = useQuery(invitationsQuery(id));
  const isFull = seats.taken >= seats.included;
  return (
    <>
      {isError && !data && (
        <ErrorState
          title={t('readFailed')}
          description={common('checkConnection')}
          onRetry={() => void refetch()}
        />
      )}
      {data?.length === 0 && <p className="mt-1 text-sm text-muted">{t('noInvitations')}</p>}
      <ul className="mt-2 grid divide-y divide-line">
        {data?.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} workspace={workspace} />
        ))}
      </ul>
      {!closed && isFull && <p className="mt-4 text-sm text-muted">{t('full')}</p>}
      {!closed && !isFull && <InviteForm id={id} />}
      {workspace.join && <JoinChoice id={id} closed={closed} join={workspace.join} />}
    </>
  );
}

function InvitationRow({
  invitation,
  workspace,
}: {
  invitation: Invitation;
  workspace: Workspace;
}) {
  const { id, email, role, expiresAt } = invitation;
  const again = useAct(async () => {
    await sendAgain(workspace.id, id);
    toast({ title: t('sent'), description: email });
  });
  const end = useAct(() => revoke(workspace.id, id));
  const isBusy = again.isPending || end.isPending;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <div className="min-w-60 flex-1">
        <p className="font-medium wrap-anywhere">
          <bdi>{email}</bdi>
        </p>
        <p className="text-sm text-muted">
          {t('until', { role: roleName(role), date: formatDay(expiresAt) })}
        </p>
      </div>
      <div className="flex gap-2">
        {!workspace.closed && (
          <Button size="sm" disabled={isBusy} onClick={() => again.mutate()}>
            {t('sendAgain')}
          </Button>
        )}
        <Button size="sm" variant="danger" disabled={isBusy} onClick={() => end.mutate()}>
          {t('revoke')}
        </Button>
      </div>
    </li>
  );
}

const InviteForm = ({ id }: { id: string }) => (
  <div className="mt-4 max-w-md">
    <Form
      send={(value) =>
        invite(id, { email: value('email'), role: (value('role') || 'member') as GivenRole })
      }
      onDone={({ email }, form) => {
        form.reset();
        toast({ title: t('sent'), description: email });
        readAgain();
      }}
      onFailure={showFailure(t('notInvited'))}
      action={t('invite')}
    >
      <Field label={t('email')} name="email" type="email" required autoComplete="off" />
      <SelectField label={t('role')} name="role" defaultValue="member" hint={t('roleHint')}>
        {GIVEN_ROLES.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </SelectField>
    </Form>
  </div>
);

/** Whether others with an address in the owner's domain may join. */
function JoinChoice({
  id,
  closed,
  join: { domain, isOn },
}: Pick<Workspace, 'id' | 'closed'> & Required<Pick<Workspace, 'join'>>) {
  const { mutate, isPending } = useAct((on: boolean) => setDomains(id, on ? [domain] : []));
  return (
    <Checkbox
      className="mt-4"
      label={t('joinByDomain', { domain })}
      checked={isOn}
      disabled={isPending || (closed !== null && !isOn)}
      onChange={mutate}
    />
  );
}
