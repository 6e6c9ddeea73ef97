import type { Reply } from '@stolas/backend/contract';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { testSubscriber } from '../../lib/user.fixture.ts';
import { live } from '../../realtime/index.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { fieldsOf } from './editor/fields.ts';
import { fromRules, toRules, toWords } from './editor/rules.ts';
import { personaOfNewChat, setPersonaOfNewChat } from './new-chat.ts';
import { idOf, openPersonas, servePersonas, testPersona } from './personas.fixture.tsx';

const ada = testPersona(1, { name: 'Ada', role: 'A keeper of owls', tone: ['calm'] });
const editor = testPersona(2, { name: 'Editor', isReadyMade: true });

beforeEach(() => {
  setPersonaOfNewChat(null);
});

const expectNoBarriers = async (container: Element) => {
  // happy-dom computes no colours.
  const { violations } = await axe.run(container, {
    rules: { 'color-contrast': { enabled: false } },
  });
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
};
const write = (box: HTMLElement, value: string) => fireEvent.change(box, { target: { value } });
const choose = async (name: string, item: string) => {
  await userEvent.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

describe('the list', () => {
  it('shows own and ready-made personas apart, without barriers', async () => {
    servePersonas([ada, editor]);
    const { container } = openPersonas();
    const own = within(await screen.findByRole('list', { name: 'Your personas' }));
    expect(own.getByText('A keeper of owls')).toBeTruthy();
    expect(own.queryByText('Editor')).toBeNull();
    expect(
      within(screen.getByRole('list', { name: 'Ready-made' })).getByText('Editor'),
    ).toBeTruthy();
    await expectNoBarriers(container);
  });

  it('follows changes of other tabs', async () => {
    servePersonas([ada, editor]);
    openPersonas();
    await screen.findByText('Ada');
    act(() => live.handlers['persona:summary']({ ...ada, version: 2, name: 'Grace' }));
    expect(await screen.findByText('Grace')).toBeTruthy();
    act(() => live.handlers['persona:summary'](ada));
    expect(screen.queryByText('Ada')).toBeNull();
    act(() => live.handlers['persona:deleted']({ id: ada.id }));
    expect(await screen.findByText('No personas of your own yet')).toBeTruthy();
  });

  it('chats as a persona: it is that of the next conversation', async () => {
    servePersonas([ada]);
    openPersonas();
    await userEvent.click(await screen.findByRole('button', { name: 'Chat as Ada' }));
    expect(personaOfNewChat().personaId).toBe(ada.id);
    expect(location.search).toBe('?c=new');
  });

  it('duplicates a ready-made one, which cannot be deleted', async () => {
    const { answers } = servePersonas([editor]);
    const copy = testPersona(3, { name: 'Editor (copy)' });
    answers[`POST /api/personas/${editor.id}/duplicate`] = { body: copy, status: 201 };
    openPersonas();
    await screen.findByText('Editor');
    await choose('Editor', 'Duplicate');
    expect(await screen.findByText('Editor (copy)')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Editor' }));
    expect(screen.queryByRole('menuitem', { name: 'Delete' })).toBeNull();
    const card = screen.getByRole('menuitem', { name: 'Export as card (V3)' });
    expect(card.getAttribute('href')).toBe(`/api/personas/${editor.id}/export?format=v3`);
  });

  it.each([1, 3])('leads to the plans when the plan allows no more than %i', async (limit) => {
    const { answers } = servePersonas([editor]);
    answers[`POST /api/personas/${editor.id}/duplicate`] = {
      status: 402,
      body: { message: 'Full.', code: 'persona_limit', details: { limit } },
    };
    openPersonas();
    await screen.findByText('Editor');
    await choose('Editor', 'Duplicate');
    const link = await screen.findByRole('link', { name: 'See the plans' });
    expect(link.getAttribute('href')).toBe('/subscription?change=true');
    expect(
      screen.getByText('Your plan includes no more personas. Delete one or upgrade.'),
    ).toBeTruthy();
  });

  it('asks for no deletion any more once a persona was deleted', async () => {
    const { answers } = servePersonas([ada, editor]);
    answers[`POST /api/personas/${editor.id}/duplicate`] = {
      status: 402,
      body: { message: 'Full.', code: 'persona_limit', details: { limit: 1 } },
    };
    openPersonas();
    await screen.findByText('Ada');
    await choose('Editor', 'Duplicate');
    await screen.findByText('Your plan includes no more personas. Delete one or upgrade.');
    act(() => live.handlers['persona:deleted']({ id: ada.id }));
    await screen.findByText('No personas of your own yet');
    expect(screen.queryByText(/^Your plan includes no more personas/)).toBeNull();
  });

  it.each([
    ['Starter', { subscriptionPlan: 'starter' }, '1 of 3 personas'],
    ['a guest', { subscriptionStatus: 'guest', subscriptionPlan: null }, '1 of 1 persona'],
    ['Pro', { subscriptionPlan: 'pro' }, 'Import card'],
  ] as const)('says beside New persona how many %s has used', async (_, plan, said) => {
    servePersonas([ada, editor]);
    openPersonas();
    act(() => void queryClient.setQueryData(userQuery.queryKey, testSubscriber(plan)));
    const button = await screen.findByRole('button', { name: 'New persona' });
    const beside = () => button.nextElementSibling?.textContent;
    await waitFor(() => expect(beside()).toBe(said));
  });

  it('asks before it deletes', async () => {
    const { answers, asked } = servePersonas([ada]);
    answers[`DELETE /api/personas/${ada.id}`] = {};
    openPersonas();
    await screen.findByText('Ada');
    await choose('Ada', 'Delete');
    const dialog = within(await screen.findByRole('dialog'));
    expect(asked.map(({ call }) => call)).not.toContain(`DELETE /api/personas/${ada.id}`);
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('No personas of your own yet')).toBeTruthy();
  });
});

describe('the editor', () => {
  it('shows the prompt while the user writes, and saves the fields', async () => {
    const { answers, asked } = servePersonas([]);
    answers['POST /api/personas'] = { body: ada, status: 201 };
    const { container } = openPersonas('/personas?id=new');
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    write(screen.getByRole('textbox', { name: 'Tone' }), 'calm, dry,');
    write(screen.getByRole('textbox', { name: 'Always' }), 'length: Be brief.');
    await userEvent.click(screen.getByRole('button', { name: 'Add background' }));
    write(screen.getByRole('textbox', { name: 'Keywords' }), 'owl, owls');
    write(screen.getByRole('textbox', { name: 'Text' }), 'Birds.');
    expect(await screen.findByText('In this conversation you are “Ada”.')).toBeTruthy();
    await expectNoBarriers(container);
    const expected = {
      ...fieldsOf(undefined),
      name: 'Ada',
      tone: ['calm', 'dry'],
      do: [{ topic: 'length', text: 'Be brief.' }],
      knowledge: [{ keys: ['owl', 'owls'], text: 'Birds.' }],
    };
    await waitFor(() =>
      expect(asked.filter(({ call }) => call.endsWith('/preview')).at(-1)?.body).toEqual({
        // Without a message there is no background in a prompt.
        persona: { ...expected, knowledge: [] },
      }),
    );
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('list', { name: 'Your personas' })).toBeTruthy();
    expect(asked.findLast(({ call }) => call === 'POST /api/personas')?.body).toEqual(expected);
  });

  it.each([
    ['Add background', 'Keywords', 'Text', 'knowledge', { keys: ['owl'], text: 'owl' }],
    ['Add background', 'Text', 'Keywords', 'knowledge', { keys: ['owl'], text: 'owl' }],
    ['Add an example', 'Message', 'Reply', 'examples', { user: 'owl', assistant: 'owl' }],
    ['Add an example', 'Reply', 'Message', 'examples', { user: 'owl', assistant: 'owl' }],
  ])('of “%s” with %s alone asks for %s, and saves no empty entry', async (...it) => {
    const [add, first, second, field, entry] = it;
    const { answers, asked } = servePersonas([]);
    answers['POST /api/personas'] = { body: ada, status: 201 };
    openPersonas('/personas?id=new');
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    await userEvent.click(screen.getByRole('button', { name: add }));
    await userEvent.click(screen.getByRole('button', { name: add }));
    const box = (name: string) => screen.getAllByRole<HTMLInputElement>('textbox', { name })[0];
    write(box(first) as HTMLElement, 'owl');
    write(box(second) as HTMLElement, ' ');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(box(second)?.validationMessage).toBe('Complete this entry, or remove it.');
    expect(box(first)?.validationMessage).toBe('');
    expect(asked.map(({ call }) => call)).not.toContain('POST /api/personas');
    write(box(second) as HTMLElement, 'owl');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('list', { name: 'Your personas' })).toBeTruthy();
    const saved = asked.findLast(({ call }) => call === 'POST /api/personas')?.body;
    expect(saved).toMatchObject({ [field]: [entry] });
  });

  it('asks for the file of a background that has only keywords', async () => {
    const { asked } = servePersonas([]);
    openPersonas('/personas?id=new');
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    await userEvent.click(screen.getByRole('button', { name: 'Add background' }));
    write(screen.getByRole('textbox', { name: 'Keywords' }), 'owl');
    const source = screen.getByRole<HTMLInputElement>('radio', { name: 'One of your files' });
    await userEvent.click(source);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(source.validationMessage).toBe('Complete this entry, or remove it.');
    expect(asked.map(({ call }) => call)).not.toContain('POST /api/personas');
  });

  it('shows of each background its own keywords, also after one was removed', async () => {
    servePersonas([]);
    openPersonas('/personas?id=new');
    const boxes = () => screen.getAllByRole<HTMLInputElement>('textbox', { name: 'Keywords' });
    const add = await screen.findByRole('button', { name: 'Add background' });
    for (const [at, keys] of ['owl, ', 'crow, raven'].entries()) {
      await userEvent.click(add);
      write(boxes()[at] as HTMLElement, keys);
    }
    expect(boxes().map(({ value }) => value)).toEqual(['owl, ', 'crow, raven']);
    await userEvent.click(screen.getAllByRole('button', { name: 'Remove' })[0] as HTMLElement);
    expect(boxes().map(({ value }) => value)).toEqual(['crow, raven']);
    await userEvent.click(add);
    expect(boxes().map(({ value }) => value)).toEqual(['crow, raven', '']);
  });

  it.each([
    ['/personas?id=new', 'POST /api/personas'],
    ['/personas?fuse', 'POST /api/personas/fusion'],
  ])('says beside the button of %s that the plan has no room', async (address, call) => {
    const { answers } = servePersonas([ada, editor]);
    const body = { message: 'Full.', code: 'persona_limit', details: { limit: 3 } };
    answers[call] = { status: 402, body };
    answers['POST /api/personas/fusion/preview'] = { status: 500 };
    openPersonas(address);
    if (address.endsWith('new')) write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    else
      for (const [at, { id }] of [ada, editor].entries())
        await userEvent.selectOptions((await screen.findAllByRole('combobox'))[at] as Element, id);
    const save = screen.getByRole('button', { name: /^Save/ });
    await userEvent.click(save);
    const notice = await screen.findByRole('alert');
    expect(notice.previousElementSibling).toBe(save.parentElement);
    expect(within(notice).getByRole('link', { name: 'See the plans' })).toBeTruthy();
  });

  it('of somebody who may not rename the persona sends no name, which may have changed', async () => {
    const owner = { id: idOf(30), name: 'Ben' };
    const { answers, asked } = servePersonas([{ ...ada, shared: { role: 'editor', owner } }]);
    const path = `PATCH /api/personas/${ada.id}`;
    answers[path] = { body: ada };
    openPersonas(`/personas?id=${ada.id}`);
    write(await screen.findByRole('textbox', { name: 'Role' }), 'A poet');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(asked.map(({ call }) => call)).toContain(path));
    const body = asked.find(({ call }) => call === path)?.body;
    expect(body).toEqual({ role: 'A poet', version: 1 });
  });

  it('changes the version that it shows, and after a conflict the one that is there now', async () => {
    const { answers, asked } = servePersonas([ada]);
    const path = `PATCH /api/personas/${ada.id}`;
    const conflict = { message: 'Changed.', code: 'version_conflict', details: { version: 4 } };
    answers[path] = { status: 409, body: conflict };
    openPersonas(`/personas?id=${ada.id}`);
    const role = await screen.findByRole('textbox', { name: 'Role' });
    write(role, 'A poet');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(useToastStore.getState().current?.variant).toBe('destructive'));
    expect(screen.getByDisplayValue('A poet')).toBeTruthy();
    answers[path] = { body: { ...ada, version: 5, role: 'A poet' } };
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('A poet');
    const sent = asked.filter(({ call }) => call === path).map(({ body }) => body);
    expect(sent).toEqual([
      { version: 1, role: 'A poet' },
      { version: 4, role: 'A poet' },
    ]);
  });

  it('saves what was changed alone: background that was imported may be longer than a request', async () => {
    const long = testPersona(1, { knowledge: [{ keys: ['owl'], text: 'Owls hoot.' }] });
    const { answers, asked } = servePersonas([long]);
    const path = `PATCH /api/personas/${long.id}`;
    answers[path] = { body: { ...long, version: 2 } };
    openPersonas(`/personas?id=${long.id}`);
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    write(screen.getByRole('textbox', { name: 'Always' }), 'length: Be brief.');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked.find(({ call }) => call === path)?.body).toEqual({
        version: 1,
        name: 'Ada',
        do: [{ topic: 'length', text: 'Be brief.' }],
      }),
    );
    const previews = asked.filter(({ call }) => call.endsWith('/preview'));
    expect(JSON.stringify(previews)).not.toContain('Owls hoot.');
  });

  it.each([
    ['is deleted', () => live.handlers['persona:deleted']({ id: ada.id })],
    [
      'may not be changed any more',
      () => {
        const shared = { role: 'viewer', owner: { id: idOf(30), name: 'Ben' } } as const;
        live.handlers['persona:summary']({ ...ada, version: 2, shared });
      },
    ],
  ])('of a persona that %s keeps what was typed, and saves it as a new one', async (_, happen) => {
    const { answers, asked } = servePersonas([ada]);
    answers['POST /api/personas'] = { body: testPersona(5, { name: 'Grace' }), status: 201 };
    openPersonas(`/personas?id=${ada.id}`);
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Grace');
    act(happen);
    const notice = await screen.findByRole('alert');
    expect(notice.textContent).toMatch(/^This persona was deleted, or you may no longer change it/);
    expect(screen.getByDisplayValue('Grace')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Save as a new persona' }));
    expect(await screen.findByRole('list', { name: 'Your personas' })).toBeTruthy();
    expect(asked.find(({ call }) => call === 'POST /api/personas')?.body).toEqual({
      ...fieldsOf(ada),
      name: 'Grace',
    });
  });

  it('learns that its persona was deleted when it is saved', async () => {
    const { answers } = servePersonas([ada]);
    openPersonas(`/personas?id=${ada.id}`);
    write(await screen.findByRole('textbox', { name: 'Role' }), 'A poet');
    const body = { message: 'Gone.', code: 'not_found' };
    answers[`PATCH /api/personas/${ada.id}`] = { status: 404, body };
    answers['GET /api/personas?fields=summary'] = { body: [] };
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('button', { name: 'Save as a new persona' })).toBeTruthy();
    expect(screen.getByDisplayValue('A poet')).toBeTruthy();
  });

  it('shows a trait that is not set as such, with what its ends mean', async () => {
    servePersonas([testPersona(1, { traits: { ...fieldsOf(undefined).traits, warmth: 80 } })]);
    openPersonas(`/personas?id=${idOf(1)}`);
    const slider = await screen.findByRole('slider', { name: /^Humour/ });
    expect(slider.getAttribute('aria-valuetext')).toBe('Not set');
    const ends = document.getElementById(slider.getAttribute('aria-describedby') ?? '');
    expect(Array.from(ends?.children ?? [], ({ textContent }) => textContent)).toEqual([
      'Serious',
      'Playful',
    ]);
    const warmth = screen.getByRole('slider', { name: /^Warmth/ });
    expect(warmth.getAttribute('aria-valuetext')).toBe('80');
  });

  it.each(['/personas?id=new', '/personas?fuse'])(
    'says before the form of %s that the plan is full',
    async (address) => {
      servePersonas([1, 2, 3].map((n) => testPersona(n)));
      openPersonas(address);
      act(() => {
        const starter = testSubscriber({ subscriptionPlan: 'starter' });
        queryClient.setQueryData(userQuery.queryKey, starter);
      });
      const room = await screen.findByText('3 of 3 personas');
      expect(room.parentElement?.textContent).toContain('Your plan has no room for another one.');
      const form = document.querySelector('form');
      expect(room.compareDocumentPosition(form as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    },
  );

  it('of a ready-made persona only shows it', async () => {
    servePersonas([editor]);
    openPersonas(`/personas?id=${editor.id}`);
    const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
    expect(name.readOnly).toBe(true);
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  it('reads rules and words as they are typed', () => {
    const text = 'length: Be brief.\n\nBe kind.\nSee https://example.com: it helps.';
    const rules = [
      { topic: 'length', text: 'Be brief.' },
      { topic: '', text: 'Be kind.' },
      { topic: '', text: 'See https://example.com: it helps.' },
    ];
    expect(toRules(text)).toEqual(rules);
    expect(toRules(fromRules(rules))).toEqual(rules);
    expect(toWords(' a ,, b,')).toEqual(['a', 'b']);
  });
});

describe('importing a card', () => {
  it('shows its instructions, and uses them only when they are accepted', async () => {
    const { answers, asked } = servePersonas([]);
    answers['POST /api/personas/import'] = {
      body: {
        persona: { ...fieldsOf(undefined), name: 'Owl', instructions: 'Personality: calm' },
        format: 'v3',
        instructions: 'Always hoot.',
        creator: 'somebody',
        creatorNotes: 'For readers.',
      },
    };
    for (const accepted of ['false', 'true'])
      answers[`POST /api/personas/import?accept=true&instructions=${accepted}`] = {
        body: testPersona(5, { name: 'Owl' }),
        status: 201,
      };
    openPersonas();
    const upload = async () => {
      await userEvent.click(await screen.findByRole('button', { name: 'Import card' }));
      const file = new File(['{}'], 'owl.json', { type: 'application/json' });
      await userEvent.upload(screen.getByLabelText('Choose a file', { selector: 'input' }), file);
      await screen.findByText('Always hoot.');
      expect(screen.getByText('Personality: calm')).toBeTruthy();
    };
    await upload();
    await expectNoBarriers(screen.getByRole('dialog'));
    await userEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(await screen.findByText('Owl')).toBeTruthy();
    await upload();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Use these instructions' }));
    await userEvent.click(screen.getByRole('button', { name: 'Import' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const imports = asked.map(({ call }) => call).filter((call) => call.includes('accept'));
    expect(imports).toEqual([
      'POST /api/personas/import?accept=true&instructions=false',
      'POST /api/personas/import?accept=true&instructions=true',
    ]);
  });
});

describe('fusing', () => {
  it('shows the origin of each line, what is left out, and saves', async () => {
    const { answers, asked } = servePersonas([ada, editor]);
    answers['POST /api/personas/fusion/preview'] = {
      body: {
        prompt: 'Always:\n- Be brief.',
        sha256: '0'.repeat(64),
        provenance: [
          { line: 'Always:', from: [], rule: 'frame', over: [] },
          { line: '- Be brief.', from: [editor.id], rule: 'share', over: [ada.id] },
        ],
        dropped: [{ line: 'Be long.', from: ada.id, reason: 'same_topic' }],
        tokens: 7,
        maxTokens: 2_000,
      },
    };
    answers['POST /api/personas/fusion'] = { body: testPersona(9, { name: 'Both' }), status: 201 };
    const { container } = openPersonas('/personas?fuse');
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'Persona A' }),
      'Ada',
    );
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Persona B' }), 'Ada');
    expect(screen.getByText('Choose each persona once.')).toBeTruthy();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Persona B' }), 'Editor');
    screen.getByRole('slider', { name: 'Share of Ada and Editor' }).focus();
    await userEvent.keyboard('{Shift>}{ArrowLeft>4/}{/Shift}');
    expect(await screen.findByText('- Be brief.')).toBeTruthy();
    expect(screen.getByText(/From B \(instead of A\)/)).toBeTruthy();
    await userEvent.click(screen.getByText('What is left out (1)'));
    expect(screen.getByText('A: another persona decides this topic')).toBeTruthy();
    await expectNoBarriers(container);
    write(screen.getByRole('textbox', { name: 'Name of the fusion' }), 'Both');
    await userEvent.click(screen.getByRole('button', { name: 'Save as a persona' }));
    expect(await screen.findByText('Both')).toBeTruthy();
    expect(asked.findLast(({ call }) => call === 'POST /api/personas/fusion')?.body).toEqual({
      name: 'Both',
      members: [
        { id: idOf(1), weight: 30 },
        { id: idOf(2), weight: 70 },
      ],
    });
  });
});

it('a fusion is previewed once its bar rests', async () => {
  const { answers, asked } = servePersonas([ada, editor]);
  answers['POST /api/personas/fusion/preview'] = { status: 500 };
  openPersonas('/personas?fuse');
  for (const [at, { id }] of [ada, editor].entries())
    await userEvent.selectOptions((await screen.findAllByRole('combobox'))[at] as Element, id);
  const previews = () =>
    asked
      .filter(({ call }) => call === 'POST /api/personas/fusion/preview')
      .map(({ body }) => (body as { members: { weight: number }[] }).members[0]?.weight);
  await waitFor(() => expect(previews()).toEqual([50]));
  const bar = screen.getByRole('slider', { name: 'Share of Ada and Editor' });
  bar.focus();
  for (let key = 0; key < 20; key += 1) fireEvent.keyDown(bar, { key: 'ArrowLeft' });
  await waitFor(() => expect(previews().at(-1)).toBe(30));
  expect(previews()).toEqual([50, 30]);
});

describe('the bar of a fusion', () => {
  const open = async () => {
    servePersonas([ada, editor]);
    openPersonas('/personas?fuse');
    const bar = await screen.findByRole('slider', { name: 'Share of A and B' });
    bar.focus();
    return bar;
  };

  it.each([
    ['{ArrowRight}', '51% A · 49% B'],
    ['{ArrowLeft}', '49% A · 51% B'],
    ['{Shift>}{ArrowRight}{/Shift}', '55% A · 45% B'],
    ['{PageDown}', '45% A · 55% B'],
    ['{Home}', '100% B'],
    ['{End}', '100% A'],
    ['{End}{PageUp}{PageDown}', '95% A · 5% B'],
  ])('is moved by %s', async (keys, shares) => {
    const bar = await open();
    await userEvent.keyboard(keys);
    expect(bar.getAttribute('aria-valuetext')).toBe(shares);
  });

  it('of three has a handle between each two, and its shares sum to 100', async () => {
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Add a persona' }));
    const [first, second] = screen.getAllByRole('slider');
    first?.focus();
    await userEvent.keyboard('{PageUp>9/}');
    // It ends at the next handle.
    expect(first?.getAttribute('aria-valuetext')).toBe('67% A · 33% C');
    second?.focus();
    await userEvent.keyboard('{End}');
    expect(second?.getAttribute('aria-valuetext')).toBe('67% A · 33% B');
  });
});

it('a fusion in the list names its shares', async () => {
  const members = [
    { id: idOf(1), name: 'Ledger', weight: 70 },
    { id: idOf(2), name: 'Critic', weight: 30 },
    { id: idOf(3), name: 'Nobody', weight: 0 },
  ];
  servePersonas([testPersona(8, { name: 'Ledger', role: 'Of the lead', fusion: { members } })]);
  openPersonas();
  expect(await screen.findByText('70% Ledger · 30% Critic')).toBeTruthy();
  expect(screen.queryByText('Of the lead')).toBeNull();
});

describe('a trial', () => {
  const message = (role: 'user' | 'assistant', fields: object) => ({
    id: role,
    conversationId: 'c9',
    role,
    content: '',
    createdAt: '2026-01-01T10:00:00.000Z',
    parentId: null,
    siblingIds: [role],
    ...fields,
  });
  const serveTrial = (end: Partial<Pick<Reply, 'ending'>> = {}) => {
    const server = servePersonas([]);
    Object.assign(server.answers, {
      'POST /api/personas/drafts': { status: 201, body: { id: idOf(7), name: 'Ada' } },
      'POST /api/conversations/estimate': { body: [{ promptTokens: 234, replyTokens: 1_000 }] },
      'POST /api/conversations': { status: 201, body: { id: 'c9' } },
      'GET /api/conversations/c9/messages': {
        body: [
          message('user', { content: 'Hello' }),
          message('assistant', {
            status: 'complete',
            attempt: 1,
            content: 'Hoot.',
            parts: [{ type: 'text', text: 'Hoot.' }],
            ...end,
          }),
        ],
      },
      'DELETE /api/conversations/c9': {},
    });
    return server;
  };
  const begin = async () => {
    openPersonas('/personas?id=new');
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    await userEvent.click(screen.getByRole('button', { name: 'Try it' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
    write(dialog.getByRole('textbox', { name: 'Message' }), 'Hello');
    return dialog;
  };

  it('names its cost first, shows the reply, and is erased when it is closed', async () => {
    const { asked } = serveTrial();
    const dialog = await begin();
    expect(
      await dialog.findByText('Reserves 1,234 tokens of your plan. What is used is charged.'),
    ).toBeTruthy();
    expect(asked.map(({ call }) => call)).not.toContain('POST /api/conversations');
    await userEvent.click(dialog.getByRole('button', { name: 'Send' }));
    const column = within(await dialog.findByRole('region', { name: 'Ada' }));
    expect(await column.findByText('Hoot.')).toBeTruthy();
    expect(column.queryByText('The reply reached its length limit.')).toBeNull();
    await expectNoBarriers(screen.getByRole('dialog'));
    expect(asked.map(({ call }) => call)).not.toContain('POST /api/personas');
    expect(asked.find(({ call }) => call === 'POST /api/conversations')?.body).toMatchObject({
      trial: true,
      message: { content: 'Hello', personaId: idOf(7) },
    });
    await userEvent.keyboard('{Escape}');
    await waitFor(() =>
      expect(asked.map(({ call }) => call)).toContain('DELETE /api/conversations/c9'),
    );
  });

  it.each(['closed', 'sent again'])(
    'erases a reply whose conversation is made after the trial was %s',
    async (how) => {
      const { asked } = serveTrial();
      const { fetch } = globalThis;
      let make: () => void = () => undefined;
      const made = new Promise<void>((resolve) => {
        make = resolve;
      });
      vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
        const answer = await fetch(path, init);
        if (path === '/api/conversations') await made;
        return answer;
      });
      const dialog = await begin();
      const send = dialog.getByRole<HTMLButtonElement>('button', { name: 'Send' });
      await waitFor(() => expect(send.disabled).toBe(false));
      await userEvent.click(send);
      await dialog.findByRole('region', { name: 'Ada' });
      if (how === 'closed') await userEvent.keyboard('{Escape}');
      else await userEvent.click(send);
      make();
      await waitFor(() =>
        expect(asked.map(({ call }) => call)).toContain('DELETE /api/conversations/c9'),
      );
    },
  );

  it('says why its cost is not known', async () => {
    const { answers } = serveTrial();
    const body = { code: 'too_many_requests', message: 'Too many requests.' };
    answers['POST /api/conversations/estimate'] = { status: 429, body };
    const dialog = await begin();
    expect(await dialog.findByText('Too many requests.')).toBeTruthy();
  });

  it('says that a reply reached its length limit', async () => {
    serveTrial({ ending: 'length' });
    const dialog = await begin();
    const send = dialog.getByRole<HTMLButtonElement>('button', { name: 'Send' });
    await waitFor(() => expect(send.disabled).toBe(false));
    await userEvent.click(send);
    const column = within(await dialog.findByRole('region', { name: 'Ada' }));
    expect(await column.findByText('The reply reached its length limit.')).toBeTruthy();
  });

  it('of a fusion is in its editor: each member and the fusion answer one question', async () => {
    const { answers, asked } = serveTrial();
    Object.assign(answers, {
      'GET /api/personas?fields=summary': { body: [ada, editor] },
      'POST /api/personas/fusion/preview': { status: 500 },
      'POST /api/conversations/estimate': { body: [{ promptTokens: 1, replyTokens: 2 }] },
    });
    openPersonas('/personas?fuse');
    for (const [at, { id }] of [ada, editor].entries())
      await userEvent.selectOptions((await screen.findAllByRole('combobox'))[at] as Element, id);
    const send = await screen.findByRole('button', { name: 'Send to all 3' });
    await waitFor(() => expect((send as HTMLButtonElement).disabled).toBe(false));
    await userEvent.click(send);
    for (const name of ['Ada', 'Editor', '50% Ada · 50% Editor'])
      expect(
        await within(await screen.findByRole('region', { name })).findByText('Hoot.'),
      ).toBeTruthy();
    expect(asked.filter(({ call }) => call === 'POST /api/conversations')).toHaveLength(3);
  });

  it('that is refused says why, and sends the same again', async () => {
    const { answers, asked } = serveTrial();
    const body = { code: 'quota_exceeded', message: 'The tokens are used up.' };
    answers['POST /api/conversations'] = { status: 429, body };
    const dialog = await begin();
    await waitFor(() =>
      expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(false),
    );
    await userEvent.click(dialog.getByRole('button', { name: 'Send' }));
    expect(await dialog.findByText('The tokens are used up.')).toBeTruthy();
    answers['POST /api/conversations'] = { status: 201, body: { id: 'c9' } };
    await userEvent.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByText('Hoot.')).toBeTruthy();
    const sends = asked.filter(({ call }) => call === 'POST /api/conversations');
    expect(sends[1]?.body).toEqual(sends[0]?.body);
  });
});

describe('background from a file', () => {
  const files = (...names: string[]) => ({
    body: {
      files: names.map((name, n) => ({ id: idOf(40 + n), name, kind: 'pdf' })),
      next: null,
      storage: { used: 0, limit: 1 },
    },
  });

  it('is chosen by keyboard, and a file that was deleted is shown as missing', async () => {
    const { answers, asked } = servePersonas([]);
    Object.assign(answers, {
      'POST /api/personas': { body: ada, status: 201 },
      'GET /api/files': files('lease.pdf', 'rules.pdf'),
      [`GET /api/files?ids=${idOf(40)}`]: files(),
    });
    const { container } = openPersonas('/personas?id=new');
    write(await screen.findByRole('textbox', { name: 'Name' }), 'Ada');
    await userEvent.click(screen.getByRole('button', { name: 'Add background' }));
    write(screen.getByRole('textbox', { name: 'Keywords' }), 'lease');
    await userEvent.click(screen.getByRole('radio', { name: 'One of your files' }));
    const pick = screen.getByRole('button', { name: 'Choose a file' });
    pick.focus();
    await userEvent.keyboard('{Enter}');
    const file = await screen.findByRole('button', { name: 'lease.pdf' });
    await expectNoBarriers(screen.getByRole('dialog'));
    file.focus();
    await userEvent.keyboard('{Enter}');
    expect(
      await screen.findByText(/^This file was deleted, or is not shared with you/),
    ).toBeTruthy();
    await expectNoBarriers(container);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked.findLast(({ call }) => call === 'POST /api/personas')?.body).toMatchObject({
        knowledge: [{ keys: ['lease'], fileId: idOf(40) }],
      }),
    );
  });
});

describe('the model of a persona', () => {
  const openEditor = (model: string | null, models: string[]) => {
    const server = servePersonas([testPersona(1, { name: 'Ada', model })]);
    server.answers['GET /api/personas/models'] = { body: { models } };
    openPersonas(`/personas?id=${idOf(1)}`);
    return server;
  };

  it('is chosen of those that the operator offers', async () => {
    const { answers, asked } = openEditor(null, ['owl-1', 'owl-2']);
    answers[`PATCH /api/personas/${idOf(1)}`] = { body: testPersona(1, { model: 'owl-2' }) };
    const field = await screen.findByLabelText('Model');
    expect(within(field).getByText('The default model (owl-1)')).toBeTruthy();
    await userEvent.selectOptions(field, 'owl-2');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked.find(({ call }) => call.startsWith('PATCH'))?.body).toMatchObject({
        model: 'owl-2',
      }),
    );
  });

  it('is no choice when there is one', async () => {
    const { asked } = openEditor(null, ['owl-1']);
    await waitFor(() =>
      expect(asked.map(({ call }) => call)).toContain('GET /api/personas/models'),
    );
    expect(await screen.findByLabelText('Depth')).toBeTruthy();
    expect(screen.queryByLabelText('Model')).toBeNull();
  });

  it('that is not offered any more is shown as that, and can be taken back', async () => {
    openEditor('gone', ['owl-1']);
    const field = await screen.findByLabelText('Model');
    expect(field).toHaveProperty('value', 'gone');
    expect(screen.getByText(/owl-1 writes the replies/)).toBeTruthy();
    await userEvent.selectOptions(field, '');
    await waitFor(() => expect(screen.queryByLabelText('Model')).toBeNull());
  });
});

it('shows the picture of a persona’s card, unless it has a symbol', async () => {
  const pictureUrl = `/api/personas/${idOf(1)}/picture`;
  servePersonas([
    testPersona(1, { name: 'Ada', pictureUrl }),
    testPersona(2, { name: 'Ben', avatar: '🦉', pictureUrl }),
  ]);
  const { container } = openPersonas();
  await screen.findByText('Ada');
  const pictures = [...container.querySelectorAll('img')];
  expect(pictures.map((picture) => picture.getAttribute('src'))).toEqual([pictureUrl]);
  expect(screen.getByText('🦉')).toBeTruthy();
  await expectNoBarriers(container);
});
