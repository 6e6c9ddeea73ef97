import { t } from 'virtual:texts/workspace';
import type {
  AcceptedInvitation,
  GivenRole,
  Invitation,
  InvitationView,
  InviteBody,
  JoinableWorkspace,
  Leaving,
  Workspace,
  WorkspaceMember,
} from '@stolas/backend/contract';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { apiDelete, apiPatch, apiPost, apiPut } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { getNumbered, workspacesKey } from '../../realtime/index.ts';
import { showFailure } from '../auth/index.ts';

const pathOf = (id: string) => `/api/workspaces/${id}`;

const read = <T>(path: string, key: readonly string[]) =>
  queryOptions({
    queryKey: [...workspacesKey, ...key],
    queryFn: (context) => getNumbered<T>(path, context),
  });

export const workspacesQuery = () => read<Workspace[]>('/api/workspaces', ['own']);
export const membersQuery = (id: string) =>
  read<WorkspaceMember[]>(`${pathOf(id)}/members`, [id, 'members']);
export const invitationsQuery = (id: string) =>
  read<Invitation[]>(`${pathOf(id)}/invitations`, [id, 'invitations']);

export const createWorkspace = (name: string) => apiPost<Workspace>('/api/workspaces', { name });
export const renameWorkspace = (id: string, name: string) =>
  apiPatch<Workspace>(pathOf(id), { name });
export const deleteWorkspace = (id: string) => apiDelete(pathOf(id));

export const invite = (id: string, body: InviteBody) =>
  apiPost<Invitation>(`${pathOf(id)}/invitations`, body);
export const sendAgain = (id: string, invitationId: string) =>
  apiPost<Invitation>(`${pathOf(id)}/invitations/${invitationId}/mail`);
export const revoke = (id: string, invitationId: string) =>
  apiDelete(`${pathOf(id)}/invitations/${invitationId}`);
export const readInvitation = (token: string) =>
  apiPost<InvitationView>('/api/invitations/read', { token });
export const acceptInvitation = (token: string) =>
  apiPost<AcceptedInvitation>('/api/invitations/accept', { token });

/** The server refuses a cap that is no number. */
export const changeMember = (
  id: string,
  userId: string,
  body: { role?: GivenRole; cap?: number | string | null },
) => apiPatch(`${pathOf(id)}/members/${userId}`, body);
/** `heirId` gets what the member shared. */
export const removeMember = (id: string, userId: string, heirId: string) =>
  apiDelete(`${pathOf(id)}/members/${userId}?${new URLSearchParams({ heirId })}`);
export const leavingQuery = (id: string, userId: string) =>
  read<Leaving>(`${pathOf(id)}/members/${userId}/leaving`, [id, 'leaving', userId]);
export const joinableQuery = () =>
  read<JoinableWorkspace[]>('/api/workspaces/joinable', ['joinable']);
export const joinByDomain = (id: string) => apiPost<AcceptedInvitation>(`${pathOf(id)}/join`);
export const setDomains = (id: string, domains: readonly string[]) =>
  apiPut(`${pathOf(id)}/domains`, { domains });
export const offerOwnership = (id: string, userId: string) =>
  apiPost(`${pathOf(id)}/transfer`, { userId });
export const endOffer = (id: string) => apiDelete(`${pathOf(id)}/transfer`);
export const acceptOwnership = (id: string) => apiPost(`${pathOf(id)}/transfer/accept`);

const invalidate = () => queryClient.invalidateQueries({ queryKey: workspacesKey });

/** Reads everything about workspaces again, in the background. */
export const readAgain = (): void => void invalidate();

/** One change; those of one control are sent in their order, so that the last one counts. Whether it succeeds or fails, everything about workspaces is read again. */
export const useAct = <T = void>(act: (given: T) => Promise<unknown>) =>
  useMutation({
    mutationFn: act,
    scope: { id: useId() },
    onError: showFailure(t('changeFailed')),
    onSettled: invalidate,
  });
