import { workspacePrincipal } from '../../access/index.ts';
import type { HandingOver } from '../record-grants-model.ts';
import type { PersonasFeature } from './feature.ts';
import { publishLater } from './share.ts';

/**
 * Gives the personas that a user shares with a workspace to another user. The card first: after a crash the persona is still found, and the
 * call can be repeated.
 */
export async function handOver(
  feature: PersonasFeature,
  { from, workspaceId, to }: HandingOver,
): Promise<void> {
  const { personas, cards, publish } = feature;
  for (const persona of await personas.sharedBy(from, workspacePrincipal(workspaceId))) {
    await cards.giveTo(persona, to);
    const given = await personas.giveTo(persona, to);
    if (!given) continue;
    publish(from, 'persona:deleted', { id: given.id });
    publishLater(feature, given);
  }
}
