import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { testGuest, testUser } from '../../../lib/user.fixture.ts';
import { personasKey } from '../../../realtime/index.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import { personaOfNewChat, setPersonaOfNewChat } from '../../personas/index.ts';
import { NEW } from '../selection.ts';
import { readDraft, writeDraft, writeDraftText } from '../sending/drafts.ts';
import { Starters } from './starters.tsx';

const LEASES = 'What changed between these two leases?';
const FORMULA = 'Explain Kepler’s third law with its formula.';
const guest = {
  ...testGuest(),
  demo: { messagesLeft: 20, messageLimit: 20, tokensLeft: 1, tokenLimit: 1 },
};

let user = testUser();
const draft = () => readDraft(user.id, NEW).text;
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const attachedNames = () => (readDraft(user.id, NEW).files ?? []).map(({ name }) => name);

/** Serves the samples, and stores what is posted under its name as id. */
async function storing(path: string, init: RequestInit = {}): Promise<Response> {
  if (!(init.body instanceof FormData)) return new Response(`Text of ${path}`);
  expect(path).toBe('/api/files?purpose=chat');
  const { name, type, size } = init.body.get('file') as File;
  return Response.json({ file: { id: name, name, type, size } });
}

function show(shown = testUser()) {
  user = shown;
  writeDraft(user.id, NEW, { text: '' });
  render(<Starters user={user} />);
}

beforeEach(() => {
  vi.stubGlobal('fetch', storing);
});

it('puts a prompt into the composer and sends nothing', async () => {
  show();
  await press(FORMULA);
  await vi.waitFor(() => expect(draft()).toBe(FORMULA));
  expect(attachedNames()).toEqual([]);
});

it('attaches the sample files of a prompt', async () => {
  show();
  await press(LEASES);
  await vi.waitFor(() => expect(draft()).toBe(LEASES));
  await vi.waitFor(() => expect(attachedNames()).toEqual(['lease-2024.md', 'lease-2025.md']));
});

it('attaches both files of a prompt for a guest too, whose limit does not count them', async () => {
  show(guest);
  await press(LEASES);
  await vi.waitFor(() => expect(draft()).toBe(LEASES));
  expect(attachedNames()).toEqual(['lease-2024.md', 'lease-2025.md']);
});

it('replaces another starter and its files, and keeps what the user has written', async () => {
  show();
  await press(LEASES);
  await vi.waitFor(() => expect(attachedNames()).toHaveLength(2));
  await press(FORMULA);
  await vi.waitFor(() => expect(draft()).toBe(FORMULA));
  expect(attachedNames()).toEqual([]);
  writeDraftText(user.id, NEW, 'My own question');
  await press(FORMULA);
  await vi.waitFor(() => expect(draft()).toBe(`My own question\n\n${FORMULA}`));
});

/** Lets calls of a path wait. @returns a function that lets them go on. */
function hold(pattern: string): () => void {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reach = fetch;
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path.includes(pattern)) await gate;
    return reach(path, init);
  });
  return () => open();
}

it('follows the last click, although an earlier one takes longer', async () => {
  const release = hold('/lease-');
  show();
  await press(LEASES);
  await press(FORMULA);
  await vi.waitFor(() => expect(draft()).toBe(FORMULA));
  release();
  await press('Try with sample files');
  await vi.waitFor(() => expect(attachedNames()).toHaveLength(3));
  expect(draft()).toBe(FORMULA);
});

describe('a discussion', () => {
  const DISCUSSION =
    'Let an analyst and a critic discuss: should we renew a lease that got dearer?';
  const ready = ['Editor', 'Tutor', 'Analyst', 'Critic'].map((name, at) => ({
    id: `r${at}`,
    name,
    isReadyMade: true,
  }));
  const members = [
    { id: 'r2', name: 'Analyst', weight: 70 },
    { id: 'r3', name: 'Critic', weight: 30 },
  ];
  const fusion = { id: 'f1', name: 'Analyst and critic', fusion: { members } };
  let server: ReturnType<typeof fakeServer>;
  beforeEach(() => {
    queryClient.clear();
    setPersonaOfNewChat(null);
    server = fakeServer({
      'GET /api/personas?fields=summary': { body: ready },
      'POST /api/personas/fusion': { status: 201, body: fusion },
    });
  });
  const fused = () => server.asked.filter(({ call }) => call === 'POST /api/personas/fusion');

  it('is a panel of two personas, whose fusion is saved once', async () => {
    show();
    await press(DISCUSSION);
    await vi.waitFor(() => expect(draft()).toBe(DISCUSSION));
    expect(personaOfNewChat()).toEqual({ personaId: 'f1', panel: { synthesis: true } });
    expect(fused().map(({ body }) => body)).toMatchObject([
      {
        members: [
          { id: 'r2', weight: 70 },
          { id: 'r3', weight: 30 },
        ],
      },
    ]);
    await press(DISCUSSION);
    await vi.waitFor(() => expect(personaOfNewChat().personaId).toBe('f1'));
    expect(fused()).toHaveLength(1);
  });

  it('ends with another starter, which it does not answer', async () => {
    show();
    await press(DISCUSSION);
    await vi.waitFor(() => expect(personaOfNewChat().personaId).toBe('f1'));
    await press(FORMULA);
    await vi.waitFor(() => expect(draft()).toBe(FORMULA));
    expect(personaOfNewChat().personaId).toBeNull();
    await press(DISCUSSION);
    await vi.waitFor(() => expect(personaOfNewChat().personaId).toBe('f1'));
    setPersonaOfNewChat('r0');
    await press(FORMULA);
    await vi.waitFor(() => expect(draft()).toBe(FORMULA));
    expect(personaOfNewChat().personaId).toBe('r0');
  });

  it('is not chosen by an earlier click that takes longer', async () => {
    const release = hold('/fusion');
    show();
    await press(DISCUSSION);
    await press(FORMULA);
    await vi.waitFor(() => expect(draft()).toBe(FORMULA));
    release();
    await vi.waitFor(() => expect(queryClient.getQueryData(personasKey)).toContainEqual(fusion));
    expect(personaOfNewChat().personaId).toBeNull();
    expect(draft()).toBe(FORMULA);
  });

  it('is a prompt alone where the plan has no room', async () => {
    server.answers['POST /api/personas/fusion'] = {
      status: 402,
      body: { code: 'persona_limit', message: 'Full.', details: { limit: 1 } },
    };
    show(guest);
    await press(DISCUSSION);
    await vi.waitFor(() => expect(draft()).toBe(DISCUSSION));
    expect(personaOfNewChat().personaId).toBeNull();
  });
});

it('shows that sample files cannot be loaded, and keeps the composer empty', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
  show();
  await press(LEASES);
  await vi.waitFor(() =>
    expect(useToastStore.getState().current?.title).toBe('The sample files could not be loaded'),
  );
  expect(draft()).toBe('');
});

it('attaches all sample files without a prompt', async () => {
  show();
  await press('Try with sample files');
  expect(draft()).toBe('');
  await vi.waitFor(() => expect(attachedNames()).toHaveLength(3));
});
