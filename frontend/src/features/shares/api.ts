import type {
  Conversation,
  ConversationShare,
  CreatedShare,
  CreateShareBody,
  Share,
  SharedPage,
  SharePreview,
  SharePreviewBody,
  WorkspaceShare,
} from '@stolas/backend/contract';
import { SHARE_READ_SECONDS } from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, apiDelete, apiGet, apiPost, apiPut } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { randomUuid } from '../../lib/uuid.ts';
import { workspacesKey } from '../../realtime/index.ts';

const pathOf = (id: string) => `/api/shares/${encodeURIComponent(id)}`;

export const fileAddress = (id: string, ref: string, { download = false } = {}): string =>
  `${pathOf(id)}/files/${ref}${download ? '?download=true' : ''}`;

/** The page is counted while it reads a live link. */
const viewer = randomUuid();

/** Whether a link cannot be opened, now and by this user, whatever is tried. */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && [401, 403, 404, 410].includes(error.status);

/** Whether a link, or its copy, is for users with an account. */
export const needsAccount = ({ status }: ApiError): boolean => status === 401 || status === 403;

const sharedKey = (id: string) => ['shared', id];

/** What a link shows. A live one is read again and again, and nothing is transferred while it is the same. */
export const sharedQuery = (id: string) =>
  queryOptions({
    queryKey: sharedKey(id),
    queryFn: async ({ signal }): Promise<SharedPage> => {
      const shown = queryClient.getQueryData<SharedPage>(sharedKey(id));
      const known = shown && `"${shown.revision}"`;
      const path = shown?.kind === 'live' ? `${pathOf(id)}?viewer=${viewer}` : pathOf(id);
      try {
        return await apiGet<SharedPage>(path, { signal, on401: 'throw', known });
      } catch (error) {
        if (shown && error instanceof ApiError && error.status === 304) return shown;
        throw error;
      }
    },
    refetchInterval: ({ state: { data, error } }) =>
      data?.kind === 'live' && !data.isFull && !isRefused(error)
        ? SHARE_READ_SECONDS * 1_000
        : false,
    retry: (count, error) => count < 2 && !isRefused(error),
    gcTime: 0,
  });

export const continueShare = (
  id: string,
  body: { revision: string; clientConversationId: string },
) => apiPost<Conversation>(`${pathOf(id)}/continue`, body);

/** What a link would show. */
export const previewQuery = (body: SharePreviewBody) =>
  queryOptions({
    queryKey: ['share-preview', body],
    queryFn: ({ signal }) => apiPost<SharePreview>('/api/shares/preview', body, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const createShare = (body: CreateShareBody) => apiPost<CreatedShare>('/api/shares', body);

const sharesKey = ['shares'];

/** The links of the user that work. */
export const sharesQuery = queryOptions({
  queryKey: sharesKey,
  queryFn: ({ signal }) => apiGet<Share[]>('/api/shares', { signal, on401: 'throw' }),
  staleTime: 0,
});

export const readSharesAgain = (): void =>
  void queryClient.invalidateQueries({ queryKey: sharesKey });

/** The links to a conversation that work, for those who may make one. */
export const conversationSharesQuery = (id: string) =>
  queryOptions({
    queryKey: [...sharesKey, id],
    queryFn: ({ signal }) =>
      apiGet<ConversationShare[]>(`/api/conversations/${id}/shares`, { signal, on401: 'throw' }),
    staleTime: 0,
  });

/** The links for the members of a workspace, for its admins. */
export const workspaceSharesQuery = (id: string) =>
  queryOptions({
    queryKey: [...workspacesKey, id, 'shares'],
    queryFn: ({ signal }) =>
      apiGet<WorkspaceShare[]>(`/api/workspaces/${id}/shares`, { signal, on401: 'throw' }),
    staleTime: 0,
  });
export const revokeInWorkspace = (workspaceId: string, id: string) =>
  apiDelete(`/api/workspaces/${workspaceId}/shares/${id}`);
export const allowLinks = (workspaceId: string, allowed: boolean) =>
  apiPut(`/api/workspaces/${workspaceId}/links`, { allowed });

export const revokeShare = (id: string) => apiDelete(pathOf(id));
export const revokeAll = () => apiDelete('/api/shares');
