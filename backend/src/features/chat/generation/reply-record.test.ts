import { describe, expect, it } from 'vitest';
import type { ReplyPart } from '../../../contract/messages.ts';
import { DEFAULT_SETTINGS, lengthOf } from '../messages/index.ts';
import { callsLeft, type GeneratedReply, splitAt } from './reply-record.ts';

const member = (id: string) => ({ id, name: id.toUpperCase(), version: 1 });
const PANEL = { synthesis: true, members: [member('a'), member('b'), member('c')] };
const part = (id: string | null, text: string): ReplyPart => ({
  type: 'text',
  text,
  ...(id && { personaId: id, personaName: id.toUpperCase() }),
});
const A = part('a', 'Yes.');
const B = part('b', '\n\nNo.');

/** A reply that continues `kept`. */
const replyOf = (kept: ReplyPart[]) =>
  ({
    settings: { ...DEFAULT_SETTINGS, panel: PANEL },
    content: '',
    parts: kept,
    keptLength: lengthOf(kept),
  }) as Partial<GeneratedReply> as GeneratedReply;
const names = (kept: ReplyPart[]) =>
  callsLeft(replyOf(kept)).map((call) => call.member?.name ?? 'synthesis');

describe('the calls that are left of a panel', () => {
  it('are all of them at first, then those from the cut part on', () => {
    expect(names([])).toEqual(['A', 'B', 'C', 'synthesis']);
    expect(names([A])).toEqual(['A', 'B', 'C', 'synthesis']);
    expect(names([A, part('b', '\n\n')])).toEqual(['B', 'C', 'synthesis']);
    expect(names([A, B, part('c', '\n\nWell')])).toEqual(['C', 'synthesis']);
    expect(names([A, B, part(null, '\n\nSo')])).toEqual(['synthesis']);
  });

  it('are a single one for a reply without a panel', () => {
    expect(callsLeft({ settings: DEFAULT_SETTINGS, content: 'Hi', keptLength: 2 })).toEqual([{}]);
  });

  it('continue their own parts and know the earlier ones', () => {
    const thought: ReplyPart = { ...B, type: 'reasoning', text: 'Hm' };
    const call = { panel: PANEL, member: member('b') };
    expect(splitAt([A, B, thought], call)).toEqual({ earlier: [A], own: [B, thought] });
    expect(splitAt([A], call)).toEqual({ earlier: [A], own: [] });
    expect(splitAt([A, B], {})).toEqual({ earlier: [], own: [A, B] });
  });
});
