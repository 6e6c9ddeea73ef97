import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/share';
import {
  RECORD_ROLES,
  type RecordGrants,
  type RecordRole,
  type User,
} from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { DialogChoice, OpenDialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { showFailure } from '../auth/index.ts';
import { grantsQuery, replaceGrants } from './api.ts';
import type { SharedRecord } from './record.ts';
import { type Target, useTargets } from './targets.ts';

interface DialogProps {
  user: User;
  record: SharedRecord;
  onClose: () => void;
}

/** Shares a record with members of the user's workspaces. */
export const GrantsDialog = ({ user, record, onClose }: DialogProps) => (
  <OpenDialog
    title={t('title', { title: record.name })}
    description={ABOUT[record.kind]()}
    className="max-w-lg"
    onClose={onClose}
  >
    <Content user={user} record={record} onClose={onClose} />
  </OpenDialog>
);

/** What those see with whom it is shared. */
const ABOUT = {
  conversations: () => t('about'),
  personas: () => t('aboutPersona'),
  files: () => t('aboutFile'),
};

function Content({ user, record, onClose }: DialogProps) {
  const grants = useQuery(grantsQuery(record));
  const targets = useTargets(user, { record, grants: grants.data });
  if (grants.isError || targets.isError)
    return (
      <ErrorState
        title={t('readFailed')}
        description={common('checkConnection')}
        onRetry={() => void Promise.all([grants.refetch(), targets.refetch()])}
      />
    );
  // The form takes the roles once: what an earlier dialog has read may have changed.
  if (!grants.data || !grants.isFetchedAfterMount || !targets.data)
    return <Skeleton className="mt-4 h-32 w-full" />;
  if (targets.data.length === 0) return <NoWorkspace onClose={onClose} />;
  return (
    <ShareForm
      record={record}
      grants={grants.data.grants}
      targets={targets.data}
      onClose={onClose}
    />
  );
}

const NoWorkspace = ({ onClose }: { onClose: () => void }) => (
  <p className="mt-4 text-sm">
    {t('noWorkspace')}{' '}
    <Link href="/workspace" onClick={onClose} className="text-cool underline underline-offset-4">
      {t('toWorkspace')}
    </Link>
  </p>
);

interface FormProps extends RecordGrants {
  record: SharedRecord;
  targets: readonly Target[];
  onClose: () => void;
}

type Roles = Readonly<Record<string, RecordRole | undefined>>;

function ShareForm({ record, grants, targets, onClose }: FormProps) {
  const [roles, setRoles] = useState<Roles>(() =>
    Object.fromEntries(
      grants.map((one) => ['userId' in one ? one.userId : one.workspaceId, one.role]),
    ),
  );
  const { mutate, isPending } = useMutation({
    mutationFn: () => replaceGrants(record, grantsOf(targets, roles)),
    onSuccess: (answer) => {
      toast({ title: t(answer.grants.length > 0 ? 'shared' : 'private') });
      onClose();
    },
    onError: showFailure(t('failed')),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={onSubmit}>
      <ul className="-mx-1 mt-4 grid max-h-80 divide-y divide-line overflow-y-auto px-1">
        {targets.map((target) => (
          <TargetRow
            key={target.id}
            kind={record.kind}
            target={target}
            role={roles[target.id]}
            onChange={(role) => setRoles({ ...roles, [target.id]: role })}
          />
        ))}
      </ul>
      <DialogChoice>
        <Button type="submit" variant="primary" busy={isPending}>
          {common('save')}
        </Button>
      </DialogChoice>
    </form>
  );
}

const grantsOf = (targets: readonly Target[], roles: Roles) =>
  targets.flatMap(({ id, isWorkspace }) => {
    const role = roles[id];
    if (!role) return [];
    return [isWorkspace ? { workspaceId: id, role } : { userId: id, role }];
  });

interface RowProps {
  kind: SharedRecord['kind'];
  target: Target;
  role: RecordRole | undefined;
  onChange: (role: RecordRole | undefined) => void;
}

function TargetRow({ kind, target: { name, isWorkspace }, role, onChange }: RowProps) {
  const label = isWorkspace ? t('everybodyIn', { name }) : name;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <span className="min-w-32 flex-1 text-sm wrap-anywhere">
        <bdi>{label}</bdi>
      </span>
      <Select
        aria-label={t('roleOf', { name: label })}
        value={role ?? ''}
        onChange={({ target }) => onChange((target.value || undefined) as RecordRole | undefined)}
      >
        <option value="">{t('none')}</option>
        {rolesOf(kind, role).map((one) => (
          <option key={one} value={one}>
            {labelOf(kind, one)}
          </option>
        ))}
      </Select>
    </li>
  );
}

/** A file has nothing to write in. */
const rolesOf = (kind: SharedRecord['kind'], chosen: RecordRole | undefined) =>
  RECORD_ROLES.filter((role) => kind !== 'files' || role !== 'editor' || role === chosen);

const labelOf = (kind: SharedRecord['kind'], role: RecordRole): string =>
  kind === 'personas' && role === 'viewer' ? t('user') : t(role);
