import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import type { Workspace } from '@stolas/backend/contract';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { showFailure } from '../auth/index.ts';
import { readAgain, renameWorkspace } from './api.ts';
import { NameField } from './create-form.tsx';
import { isAdmin, roleName } from './roles.ts';

/** The name of a workspace, which admins change, and the user's role. */
export function NameRow({ workspace }: { workspace: Workspace }) {
  const [isEditing, setEditing] = useState(false);
  const { id, name, role, closed } = workspace;
  if (isEditing)
    return (
      <div className="mt-6 max-w-md">
        <Form
          send={(value) => renameWorkspace(id, value('name'))}
          onDone={() => {
            readAgain();
            setEditing(false);
          }}
          onFailure={showFailure(t('changeFailed'))}
          onCancel={() => setEditing(false)}
          action={common('save')}
        >
          <NameField name={name} />
        </Form>
      </div>
    );
  return (
    <div className="mt-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0 text-lg font-semibold wrap-anywhere">
        <bdi>{name}</bdi> <span className="text-sm font-normal text-muted">{roleName(role)}</span>
      </p>
      {isAdmin(workspace) && !closed && (
        <Button size="sm" onClick={() => setEditing(true)}>
          {t('rename')}
        </Button>
      )}
    </div>
  );
}
