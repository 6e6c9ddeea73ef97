import { Router } from 'express';
import * as z from 'zod';
import {
  DomainsBody,
  InvitationTokenBody,
  InviteBody,
  LeaveQuery,
  MemberBody,
  TransferBody,
  WorkspaceBody,
} from '../../contract/workspaces.ts';
import { byUser, handler, Id, IdParams, type RateLimit } from '../../http/index.ts';
import { acceptInvitation, readInvitation } from './accept.ts';
import { joinByDomain, listJoinable, setDomains } from './domains.ts';
import type { WorkspacesFeature } from './feature.ts';
import { invite, listInvitations, revoke, sendAgain } from './invitations.ts';
import {
  acceptOwnership,
  changeMember,
  endOffer,
  listMembers,
  offerOwnership,
  readLeaving,
  removeMember,
} from './members.ts';
import { createWorkspace, deleteWorkspace, listWorkspaces, renameWorkspace } from './workspaces.ts';

const params = IdParams;
const InvitationParams = z.object({ id: Id, invitationId: Id });
const MemberParams = z.object({ id: Id, userId: Id });

export function workspaceRoutes(feature: WorkspacesFeature, rateLimit: RateLimit): Router[] {
  const changes = rateLimit({ name: 'workspaces', points: 120, seconds: 60, key: byUser });
  const mails = rateLimit({ name: 'invitations', points: 60, seconds: 60, key: byUser });
  return [
    ownRoutes(feature, changes),
    invitationRoutes(feature, mails),
    memberRoutes(feature, changes),
    transferRoutes(feature, changes),
    domainRoutes(feature, changes),
  ];
}

type Limit = ReturnType<RateLimit>;

function ownRoutes(feature: WorkspacesFeature, changes: Limit): Router {
  const router = Router();
  router.get(
    '/workspaces',
    handler({}, ({ actor }) => listWorkspaces(feature, actor)),
  );
  router.post(
    '/workspaces',
    changes,
    handler({ body: WorkspaceBody, status: 201 }, ({ actor, body }) =>
      createWorkspace(feature, actor, body),
    ),
  );
  router.patch(
    '/workspaces/:id',
    changes,
    handler({ params, body: WorkspaceBody }, ({ actor, params: { id }, body }) =>
      renameWorkspace(feature, actor, { id, ...body }),
    ),
  );
  router.delete(
    '/workspaces/:id',
    changes,
    handler({ params }, ({ actor, params: { id } }) => deleteWorkspace(feature, actor, id)),
  );
  return router;
}

function invitationRoutes(feature: WorkspacesFeature, mails: Limit): Router {
  const router = Router();
  router.get(
    '/workspaces/:id/invitations',
    handler({ params }, ({ actor, params: { id } }) => listInvitations(feature, actor, id)),
  );
  router.post(
    '/workspaces/:id/invitations',
    mails,
    handler({ params, body: InviteBody, status: 201 }, ({ actor, params: { id }, body }) =>
      invite(feature, actor, { workspaceId: id, ...body }),
    ),
  );
  router.post(
    '/workspaces/:id/invitations/:invitationId/mail',
    mails,
    handler({ params: InvitationParams }, ({ actor, params: { id, invitationId } }) =>
      sendAgain(feature, actor, { id: invitationId, workspaceId: id }),
    ),
  );
  router.delete(
    '/workspaces/:id/invitations/:invitationId',
    mails,
    handler({ params: InvitationParams }, ({ actor, params: { id, invitationId } }) =>
      revoke(feature, actor, { id: invitationId, workspaceId: id }),
    ),
  );
  router.post(
    '/invitations/read',
    mails,
    handler({ body: InvitationTokenBody }, ({ actor, body }) =>
      readInvitation(feature, actor, body.token),
    ),
  );
  router.post(
    '/invitations/accept',
    mails,
    handler({ body: InvitationTokenBody }, ({ actor, body }) =>
      acceptInvitation(feature, actor, body.token),
    ),
  );
  return router;
}

function memberRoutes(feature: WorkspacesFeature, changes: Limit): Router {
  const router = Router();
  router.get(
    '/workspaces/:id/members',
    handler({ params }, ({ actor, params: { id } }) => listMembers(feature, actor, id)),
  );
  router.patch(
    '/workspaces/:id/members/:userId',
    changes,
    handler({ params: MemberParams, body: MemberBody }, ({ actor, params: { id, userId }, body }) =>
      changeMember(feature, actor, { ...body, workspaceId: id, userId }),
    ),
  );
  router.delete(
    '/workspaces/:id/members/:userId',
    changes,
    handler(
      { params: MemberParams, query: LeaveQuery },
      ({ actor, params: { id, userId }, query }) =>
        removeMember(feature, actor, { ...query, workspaceId: id, userId }),
    ),
  );
  router.get(
    '/workspaces/:id/members/:userId/leaving',
    handler({ params: MemberParams }, ({ actor, params: { id, userId } }) =>
      readLeaving(feature, actor, { workspaceId: id, userId }),
    ),
  );
  return router;
}

function transferRoutes(feature: WorkspacesFeature, changes: Limit): Router {
  const router = Router();
  router.post(
    '/workspaces/:id/transfer',
    changes,
    handler({ params, body: TransferBody }, ({ actor, params: { id }, body: { userId } }) =>
      offerOwnership(feature, actor, { workspaceId: id, userId }),
    ),
  );
  router.delete(
    '/workspaces/:id/transfer',
    changes,
    handler({ params }, ({ actor, params: { id } }) => endOffer(feature, actor, id)),
  );
  router.post(
    '/workspaces/:id/transfer/accept',
    changes,
    handler({ params }, ({ actor, params: { id } }) => acceptOwnership(feature, actor, id)),
  );
  return router;
}

function domainRoutes(feature: WorkspacesFeature, changes: Limit): Router {
  const router = Router();
  router.get(
    '/workspaces/joinable',
    handler({}, ({ actor }) => listJoinable(feature, actor)),
  );
  router.post(
    '/workspaces/:id/join',
    changes,
    handler({ params }, ({ actor, params: { id } }) => joinByDomain(feature, actor, id)),
  );
  router.put(
    '/workspaces/:id/domains',
    changes,
    handler({ params, body: DomainsBody }, ({ actor, params: { id }, body }) =>
      setDomains(feature, actor, { id, ...body }),
    ),
  );
  return router;
}
