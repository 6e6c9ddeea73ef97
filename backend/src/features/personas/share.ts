import type { Actor } from '../../access/index.ts';
import type { GrantsBody, RecordGrants } from '../../contract/access.ts';
import type { ReaderRole } from '../../contract/roles.ts';
import { audienceOf, ownersOf, replaceRecordGrants } from '../record-grants.ts';
import type { PersonasFeature } from './feature.ts';
import type { OwnPersona } from './model.ts';
import { openPersona } from './open.ts';
import { presentSummary } from './present.ts';

/** Replaces all grants of a persona. For those who lose access by it, it is gone. @throws AppError as `replaceRecordGrants` */
export const replaceGrants = (
  personas: PersonasFeature,
  actor: Actor,
  { id, grants: wanted }: GrantsBody & { id: string },
): Promise<RecordGrants> =>
  replaceRecordGrants<OwnPersona>(personas, actor, {
    wanted,
    open: () => openPersona(personas, actor, { id, action: 'manage' }),
    replace: personas.personas.replaceGrants,
    publish: (changed, { lost, audience }) => {
      for (const userId of lost) personas.publish(userId, 'persona:deleted', { id });
      void publishTo(personas, changed, audience);
    },
  });

/** Publishes a persona to everybody who may use it. Requests do not wait for it: a tab that misses the event catches up. */
export const publishLater = (personas: PersonasFeature, record: OwnPersona): void =>
  void audienceOf(personas, record)
    .then((audience) => publishTo(personas, record, audience))
    .catch(() => undefined);

/** To each as the role may see it. */
async function publishTo(
  personas: PersonasFeature,
  record: OwnPersona,
  audience: ReadonlyMap<string, ReaderRole>,
): Promise<void> {
  const owner = (await ownersOf(personas, [record]))(record);
  for (const [userId, role] of audience)
    personas.publish(userId, 'persona:summary', presentSummary(record, owner && { role, owner }));
}
