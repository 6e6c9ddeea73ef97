import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { setPersonaOfNewChat } from '../../personas/index.ts';
import { composer, openScreen, server, startServer } from '../chat-screen.fixture.tsx';
import { conversation, makeReply } from '../chat-server.fixture.ts';

const ADA = {
  id: 'a'.repeat(24),
  name: 'Ada',
  role: 'A keeper',
  avatar: '🦉',
  greeting: 'Who hoots there?',
  depth: 'deep',
};
beforeEach(() => {
  setPersonaOfNewChat(null);
  startServer();
  server.answer('GET /api/personas?fields=summary', 200, [ADA]);
});

describe('the persona of a conversation', () => {
  it('is chosen in the composer and stored with the conversation', async () => {
    const user = await openScreen();
    const changed = { ...conversation('c1', 'Stars above the house'), personaId: ADA.id };
    server.answer('PATCH /api/conversations/c1', 200, changed);
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /Ada/ }));
    const chosen = await screen.findByRole('button', { name: 'Persona: Ada' });
    expect(within(chosen).getByText('Ada')).toBeTruthy();
    expect(server.requests.findLast(({ method }) => method === 'PATCH')?.body).toEqual({
      personaId: ADA.id,
      depth: 'deep',
    });
    act(() => server.push('conversation:changed', { ...changed, personaId: null }));
    expect(await screen.findByRole('button', { name: 'Persona' })).toBeTruthy();
  });

  it('is named after the interface got another language, whose list does not have it', async () => {
    const editor = { ...ADA, id: `${'0'.repeat(23)}1`, name: 'Editor', isReadyMade: true };
    server.conversations = [
      { ...conversation('c1', 'Stars above the house'), personaId: editor.id },
    ];
    server.answer(`GET /api/personas/${editor.id}`, 200, editor);
    const user = await openScreen();
    await user.click(await screen.findByRole('button', { name: 'Persona: Editor' }));
    const options = await screen.findAllByRole('button', { pressed: true });
    expect(options.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Editor/),
    ]);
  });

  it('of a new conversation is sent with its first message', async () => {
    const user = await openScreen('/?c=new');
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /Ada/ }));
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() =>
      expect(server.posted('/api/conversations')).toMatchObject([
        { message: { content: 'Hello', personaId: ADA.id } },
      ]),
    );
    await waitFor(() => expect(location.search).not.toBe('?c=new'));
    expect(screen.getByRole('button', { name: 'Persona: Ada' })).toBeTruthy();
  });

  it('brings its depth along, which may be changed, and greets before the first message', async () => {
    const user = await openScreen('/?c=new');
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /Ada/ }));
    expect(await screen.findByText('Who hoots there?')).toBeTruthy();
    expect(screen.getByText('Ada’s greeting')).toBeTruthy();
    const depth = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Depth' });
    expect(depth.value).toBe('deep');
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() =>
      expect(server.posted('/api/conversations')).toMatchObject([
        { message: { depth: 'deep', personaId: ADA.id } },
      ]),
    );
    expect(screen.queryByText('Who hoots there?')).toBeNull();
  });

  it('that the list of personas was left with sets the depth too', async () => {
    setPersonaOfNewChat(ADA.id);
    const user = await openScreen('/?c=new');
    const depth = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Depth' });
    await waitFor(() => expect(depth.value).toBe('deep'));
    await user.selectOptions(depth, 'fast');
    expect(depth.value).toBe('fast');
  });

  it('or a depth that was just chosen is stored before the next message is sent', async () => {
    const user = await openScreen();
    const release = server.hold('PATCH /api/conversations/c1');
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Depth' }), 'deep');
    await user.type(composer(), 'Hello{Enter}');
    await screen.findByText('Hello');
    const released = { method: 'the change is stored', path: '', body: undefined };
    server.requests.push(released);
    release();
    const sent = () => server.requests.findIndex(({ method }) => method === 'POST');
    await waitFor(() => expect(sent()).not.toBe(-1));
    expect(sent()).toBeGreaterThan(server.requests.indexOf(released));
  });

  it('stands above the replies that it wrote', async () => {
    const persona = { id: ADA.id, name: 'Ada', version: 2 };
    server.messages.c1 = [
      makeReply('c1', { parentId: null as never, status: 'complete', content: 'Hoot.', persona }),
    ];
    await openScreen();
    expect(await screen.findByText('As Ada')).toBeTruthy();
  });
});

describe('a panel of the members of a fusion', () => {
  const PLAIN = { role: '', avatar: '', greeting: '', depth: null };
  const BEN = { ...PLAIN, id: 'b'.repeat(24), name: 'Ben' };
  const members = [ADA, BEN].map(({ id, name }) => ({ id, name, weight: 50 }));
  const BOTH = { ...PLAIN, id: 'c'.repeat(24), name: 'Both', fusion: { members } };
  const patched = () => server.requests.filter(({ method }) => method === 'PATCH');
  beforeEach(() => server.answer('GET /api/personas?fields=summary', 200, [BOTH, ADA, BEN]));

  it('is offered for a fusion alone, and stored with the conversation', async () => {
    const user = await openScreen();
    const changed = { ...conversation('c1', 'Stars above the house'), personaId: BOTH.id };
    server.answer('PATCH /api/conversations/c1', 200, changed);
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await screen.findByRole('button', { name: /^Ada/ });
    expect(screen.queryByRole('radio')).toBeNull();
    await user.click(screen.getByRole('button', { name: /^Both/ }));
    await screen.findByText(/its 2 members answer in turn. That costs as much as 2 replies/);
    const panel = { synthesis: false };
    server.answer('PATCH /api/conversations/c1', 200, { ...changed, panel });
    await user.click(screen.getByRole('radio', { name: 'Answer as a panel' }));
    const synthesis = await screen.findByRole('checkbox', { name: 'Close with a synthesis' });
    await user.click(synthesis);
    await waitFor(() =>
      expect(patched().map(({ body }) => body)).toEqual([
        { personaId: BOTH.id },
        { panel },
        { panel: { synthesis: true } },
      ]),
    );
  });

  it('is not offered when fewer than two members are left', async () => {
    server.answer('GET /api/personas?fields=summary', 200, [BOTH, ADA]);
    const user = await openScreen('/?c=new');
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /^Both/ }));
    await screen.findByText('For a panel, two of its personas must still exist.');
    expect(
      screen.getByRole<HTMLInputElement>('radio', { name: 'Answer as a panel' }).disabled,
    ).toBe(true);
  });

  it('is offered when its members are ready-made ones in another language, which no list has', async () => {
    const ready = ['1', '2'].map((n) => ({ id: n.padStart(24, '0'), name: n, weight: 50 }));
    server.answer('GET /api/personas?fields=summary', 200, [
      { ...BOTH, fusion: { members: ready } },
    ]);
    const user = await openScreen('/?c=new');
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /^Both/ }));
    expect(await screen.findByText(/its 2 members answer in turn/)).toBeTruthy();
  });

  it('of a new conversation is sent with its first message', async () => {
    const user = await openScreen('/?c=new');
    await user.click(screen.getByRole('button', { name: 'Persona' }));
    await user.click(await screen.findByRole('button', { name: /^Both/ }));
    await user.click(await screen.findByRole('radio', { name: 'Answer as a panel' }));
    await user.keyboard('{Escape}');
    await user.type(composer(), 'Hello{Enter}');
    await waitFor(() =>
      expect(server.posted('/api/conversations')).toMatchObject([
        { message: { personaId: BOTH.id, panel: { synthesis: false } } },
      ]),
    );
    await waitFor(() => expect(location.search).not.toBe('?c=new'));
    await user.click(screen.getByRole('button', { name: 'Persona: Both' }));
    const choice = await screen.findByRole<HTMLInputElement>('radio', {
      name: 'Answer as a panel',
    });
    expect(choice.checked).toBe(true);
  });

  it('has a heading above the text of each member, and none without text', async () => {
    const by = ({ id, name }: { id: string; name: string }, text: string) => ({
      type: 'text' as const,
      text,
      personaId: id,
      personaName: name,
    });
    const parts = [by(ADA, 'Hoot.'), by(BEN, '\n\nNo.'), { type: 'text' as const, text: '\n\n' }];
    server.messages.c1 = [
      makeReply('c1', {
        parentId: null as never,
        status: 'stopped',
        content: 'Hoot.\n\nNo.\n\n',
        parts,
      }),
    ];
    await openScreen();
    await screen.findByText('Hoot.');
    const headings = screen.getAllByRole('heading', { level: 3 });
    expect(headings.map((it) => it.querySelector('bdi')?.textContent)).toEqual(['Ada', 'Ben']);
  });
});
