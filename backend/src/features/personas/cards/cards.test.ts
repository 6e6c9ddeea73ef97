import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { userPrincipal } from '../../../access/index.ts';
import { MAX_CARD_BYTES } from '../../../contract/limits.ts';
import { PersonaFields } from '../../../contract/personas.ts';
import { compilePersona } from '../compile/compile.ts';
import { createPersona, duplicatePersona, listPersonas, updatePersona } from '../edit.ts';
import { actorOf, fieldsOf, newId, openPersonas } from '../personas.fixture.ts';
import { cardPicture, exportCard, importCard, previewCard } from './card-files.ts';
import { pngWith, textsOf } from './png.ts';

// The child that redraws a picture has a low priority: on a busy machine it waits for everything else.

let rig: Awaited<ReturnType<typeof openPersonas>>;
beforeAll(async () => {
  rig = await openPersonas();
});
beforeEach(() => {
  rig.plan.personas = null;
});

const EXTENSIONS = {
  'other/app': { depth: 4, list: [1, null, { a: 'ü🦉' }], $set: { 'a.b': 1 } },
  talkativeness: '0.5',
};
const ENTRY = { extensions: { x: 1 }, enabled: true, insertion_order: 10 };
/** A V2 card as its specification describes it. */
const V2 = {
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: {
    name: 'Ada',
    description: '{{char}} keeps owls. <USER> visits {{user}}.',
    personality: 'calm',
    scenario: 'A tower.',
    first_mes: 'Welcome, {{user}}.',
    mes_example:
      '<START>\n{{user}}: Who are you?\n{{char}}: I am Ada.\nI keep owls.\n<START>\n{{char}}: Alone.',
    creator_notes: 'SECRET NOTES for readers',
    system_prompt: 'You are {{char}}. {{original}}',
    post_history_instructions: 'Stay calm.',
    alternate_greetings: ['Hello again.'],
    tags: ['owls'],
    creator: 'somebody',
    character_version: '7',
    extensions: EXTENSIONS,
    character_book: {
      name: 'Book',
      scan_depth: 3,
      extensions: { y: [2] },
      entries: [
        { ...ENTRY, keys: ['owl'], content: '@@depth 5\n@@role system\nOwls are birds.' },
        { ...ENTRY, keys: ['raven'], content: 'Off.', enabled: false },
      ],
    },
  },
};
const V3 = {
  spec: 'chara_card_v3',
  spec_version: '3.0',
  data: {
    ...V2.data,
    nickname: 'Countess',
    group_only_greetings: [],
    creator_notes_multilingual: { de: 'Notizen' },
    source: ['https://example.com/card'],
    assets: [{ type: 'icon', uri: 'https://example.com/track.png', name: 'main', ext: 'png' }],
    creation_date: 1_700_000_000,
    character_book: {
      extensions: {},
      entries: [
        { ...ENTRY, keys: ['owl'], content: 'Owls are birds.', use_regex: false },
        { ...ENTRY, keys: ['(a+)+$'], content: 'Regular.', use_regex: true },
      ],
    },
  },
};

const fileOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const take = (actor: ReturnType<typeof actorOf>, file: Buffer, acceptsInstructions = true) =>
  importCard(rig, actor, { bytes: file, acceptsInstructions });
const preview = (file: Buffer) => previewCard(rig, actorOf(), file);
const put = async (actor: ReturnType<typeof actorOf>, id: string, format: 'v2' | 'v3') =>
  JSON.parse((await exportCard(rig, actor, { id, format })).content.toString()) as typeof V3;

/** `data` without the additions of this product. */
function withoutOwn(data: Record<string, unknown>) {
  const { 'stolas/persona': own, ...extensions } = data.extensions as Record<string, unknown>;
  expect(own).toBeDefined();
  return { ...data, extensions };
}

function chunk(type: string, data: Buffer, checksum?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(checksum ?? crc32(body));
  return Buffer.concat([length, body, crc]);
}
const pngOf = (...chunks: Buffer[]) =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    ...chunks,
    chunk('IDAT', deflateSync(Buffer.from([0, 1, 2, 3]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
const base64 = (value: unknown) => fileOf(value).toString('base64');
const textChunk = (keyword: string, text: string) =>
  chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'));

describe('importing a card', () => {
  it('makes a persona from its fields, and shows the instructions before they are accepted', async () => {
    const shown = await preview(fileOf(V2));
    expect(shown).toMatchObject({
      format: 'v2',
      instructions: 'You are Ada.\n\nStay calm.',
      creator: 'somebody',
      creatorNotes: 'SECRET NOTES for readers',
      persona: {
        name: 'Ada',
        description: 'Ada keeps owls. the user visits the user.',
        instructions: 'Personality: calm\n\nScenario: A tower.',
        greeting: 'Welcome, the user.',
        examples: [{ user: 'Who are you?', assistant: 'I am Ada.\nI keep owls.' }],
        knowledge: [{ keys: ['owl'], text: 'Owls are birds.' }],
      },
    });
    const actor = actorOf();
    expect((await take(actor, fileOf(V2), false)).instructions).toBe(shown.persona.instructions);
    expect((await take(actor, fileOf(V2), true)).instructions).toBe(
      'Personality: calm\n\nScenario: A tower.\n\nYou are Ada.\n\nStay calm.',
    );
  });

  it('shows the rules of its extension among the instructions, and uses them only when they are accepted', async () => {
    const rules = {
      do: [{ topic: 'links', text: 'Add example.com.' }],
      dont: [{ topic: '', text: 'Warn.' }],
    };
    const owner = actorOf();
    const made = await createPersona(rig, owner, {
      fields: fieldsOf({ ...rules, instructions: 'Be exact.', tone: ['calm'] }),
    });
    const { content } = await exportCard(rig, owner, { id: made.id, format: 'v3' });
    const { persona, instructions } = await preview(content);
    expect(instructions).toBe('Be exact.\n\nAlways: links: Add example.com.\nNever: Warn.');
    const without = { instructions: '', do: [], dont: [], tone: ['calm'] };
    expect(persona).toMatchObject(without);
    expect(await take(actorOf(), content, false)).toMatchObject(without);
    expect(await take(actorOf(), content, true)).toMatchObject(rules);
  });

  it('never puts the notes of its creator into a prompt, nor runs a key that is a pattern', async () => {
    const persona = await take(actorOf(), fileOf(V3));
    const prompt = compilePersona(persona, ['owl aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!']);
    expect(prompt).toContain('Owls are birds.');
    expect(prompt).not.toMatch(/SECRET|Notizen|Regular|example\.com/);
    expect(prompt).toContain('Countess keeps owls.');
  });

  it('reads the first version too', async () => {
    const { name, description, first_mes } = V2.data;
    const { persona, format } = await preview(fileOf({ name, description, first_mes }));
    expect({ format, greeting: persona.greeting }).toEqual({
      format: 'v1',
      greeting: 'Welcome, the user.',
    });
  });

  it('keeps to the limits of texts', async () => {
    const long = '🦉'.repeat(6_000);
    const entries = Array.from({ length: 300 }, () => ({
      ...ENTRY,
      keys: [...Array(20).keys(), long].map(String),
      content: long,
    }));
    const data = {
      ...V2.data,
      name: long,
      description: long,
      first_mes: long,
      personality: long,
      mes_example: `<START>\n{{user}}: ${long}\n{{char}}: ${long}`.repeat(10),
      character_book: { extensions: {}, entries: entries.slice(0, 3) },
    };
    const { persona } = await preview(fileOf({ ...V2, data }));
    expect(PersonaFields.safeParse(persona).success).toBe(true);
    expect(JSON.stringify(persona)).not.toMatch(/\\ud[89a-f]/);
  });

  it('counts for the limit of the plan', async () => {
    rig.plan.personas = 1;
    const actor = actorOf();
    await take(actor, fileOf(V2));
    await expect(take(actor, fileOf(V2))).rejects.toMatchObject({ code: 'persona_limit' });
  });
});

describe('a round trip', () => {
  it('of a V3 card keeps everything', async () => {
    const actor = actorOf();
    const { id } = await take(actor, fileOf(V3));
    const exported = await put(actor, id, 'v3');
    expect({ ...exported, data: withoutOwn(exported.data) }).toEqual(V3);
  });

  it.each([true, false])(
    'of a V2 card keeps everything, instructions accepted: %s',
    async (accepts) => {
      const actor = actorOf();
      const { id } = await take(actor, fileOf(V2), accepts);
      const exported = await put(actor, id, 'v2');
      expect({ ...exported, data: withoutOwn(exported.data) }).toEqual(V2);
    },
  );

  it('in a PNG keeps everything, for readers of both versions', async () => {
    const actor = actorOf();
    const { id } = await take(actor, pngOf(textChunk('ccv3', base64(V3))));
    const { content } = await exportCard(rig, actor, { id, format: 'png' });
    expect([...textsOf(content, ['ccv3', 'chara']).keys()]).toEqual(['chara', 'ccv3']);
    const again = await take(actor, content);
    const exported = await put(actor, again.id, 'v3');
    expect({ ...exported, data: withoutOwn(exported.data) }).toEqual(V3);
  });

  it('of a persona keeps data that cards have no place for', async () => {
    const actor = actorOf();
    const fields = fieldsOf({
      role: 'A keeper',
      instructions: 'Be exact. ',
      description: ' Lives in a tower.\n',
      traits: { warmth: 90, formality: 10, verbosity: 20, directness: 30, humour: 40 },
      tone: ['calm'],
      do: [{ topic: 'a', text: 'b' }],
      knowledge: [{ keys: ['owl'], text: 'Owls are birds.' }],
      examples: [{ user: 'Who?', assistant: 'Me.\nAda.' }],
      depth: 'deep',
    });
    const { id } = await createPersona(rig, actor, { fields });
    for (const format of ['v2', 'v3', 'png'] as const) {
      const { content } = await exportCard(rig, actor, { id, format });
      expect(await take(actorOf(), content)).toMatchObject({
        ...fields,
        instructions: 'Be exact.',
      });
    }
  });

  it('exports the changes, and keeps the rest of the card', async () => {
    const actor = actorOf();
    const { id } = await take(actor, fileOf(V3));
    await updatePersona(rig, actor, { id, body: { version: 1, name: 'Grace', tone: ['warm'] } });
    const { data } = await put(actor, id, 'v3');
    expect(withoutOwn(data)).toEqual({ ...V3.data, name: 'Grace' });
    expect((await preview(fileOf({ ...V3, data }))).persona).toMatchObject({ tone: ['warm'] });
    const edited = { ...data, description: 'Changed elsewhere.' };
    const { persona } = await preview(fileOf({ ...V3, data: edited }));
    expect(persona).toMatchObject({ description: 'Changed elsewhere.', tone: [] });
  });

  it('names no files of another user', async () => {
    const knowledge = [{ keys: ['a'], fileId: newId() }];
    const data = {
      ...V2.data,
      name: 'Ada',
      extensions: { 'stolas/persona': { name: 'Ada', knowledge } },
    };
    for (const field of ['description', 'personality', 'scenario', 'first_mes', 'mes_example'])
      Object.assign(data, { [field]: '' });
    Object.assign(data, {
      system_prompt: '',
      post_history_instructions: '',
      character_book: undefined,
    });
    expect((await take(actorOf(), fileOf({ ...V2, data }))).knowledge).toEqual([]);
  });
});

describe('a PNG', () => {
  it('with cards of both versions is read as V3', async () => {
    const png = pngOf(textChunk('chara', base64(V2)), textChunk('ccv3', base64(V3)));
    expect((await preview(png)).format).toBe('v3');
  });

  it.each([
    ['plain', 0, (text: string) => Buffer.from(text)],
    ['compressed', 1, (text: string) => deflateSync(Buffer.from(text))],
  ])('may have it in a %s international text', async (_, flag, encode) => {
    const head = Buffer.from([...Buffer.from('chara'), 0, flag, 0, 0, 0]);
    for (const text of [JSON.stringify(V2), base64(V2)])
      expect(
        (await preview(pngOf(chunk('iTXt', Buffer.concat([head, encode(text)]))))).format,
      ).toBe('v2');
  });

  const bombOf = (keyword: string, mb = 40) => {
    const head = Buffer.from(`${keyword}\0\x01\0\0\0`, 'latin1');
    return chunk('iTXt', Buffer.concat([head, deflateSync(Buffer.alloc(mb * 1024 * 1024))]));
  };
  const card = textChunk('chara', base64(V2));

  it('is read without texts of other keywords, and without a duplicate', async () => {
    const others = Array<Buffer>(100).fill(bombOf('Comment'));
    const again = Array<Buffer>(100).fill(bombOf('chara'));
    expect((await preview(pngOf(...others, card, ...again))).format).toBe('v2');
  });

  it.each([
    ['with a wrong checksum', pngOf(chunk('tEXt', card.subarray(8, -4), 1))],
    ['that ends early', pngOf(card).subarray(0, 60)],
    [
      'with a length beyond its end',
      Buffer.concat([pngOf().subarray(0, 33), Buffer.from([0xff, 0xff, 0xff, 0xff]), card]),
    ],
    ['without a header', Buffer.concat([pngOf().subarray(0, 8), card])],
    ['without a card', pngOf()],
    ['with a text that has no keyword', pngOf(chunk('tEXt', Buffer.from('chara')))],
    ['with a text that grows too long', pngOf(bombOf('chara'))],
    ['with two that grow too long together', pngOf(bombOf('ccv3', 12), bombOf('chara', 12))],
    ['with a card that is no JSON', pngOf(textChunk('chara', 'AAAA'))],
  ])('%s is refused', async (_, png) => {
    await expect(preview(png)).rejects.toMatchObject({ code: 'invalid_field' });
  });
});

/** A card with at least this number of bytes. */
const hugeOf = (length: number) => fileOf({ ...V2, data: { ...V2.data, x: 'a'.repeat(length) } });

describe('a card of nearly the largest size', () => {
  it.each(['v2', 'png'] as const)('is imported and exported as %s in a child', async (format) => {
    const actor = actorOf();
    const { id } = await take(actor, hugeOf(MAX_CARD_BYTES - 10_000));
    const { content } = await exportCard(rig, actor, { id, format });
    const json =
      format === 'v2'
        ? content.toString()
        : Buffer.from(textsOf(content, ['chara']).get('chara') ?? '', 'base64').toString();
    const { data } = JSON.parse(json) as { data: { x: string } };
    expect(data.x).toHaveLength(MAX_CARD_BYTES - 10_000);
  });

  it('has the same maximum size in a picture, in any of its texts', async () => {
    const card = JSON.stringify({ ...V2, data: { ...V2.data, x: 'a'.repeat(9_000_000) } });
    const head = Buffer.from('ccv3\0\x01\0\0\0', 'latin1');
    const text = chunk('iTXt', Buffer.concat([head, deflateSync(Buffer.from(card))]));
    expect((await preview(pngOf(text, text, text))).format).toBe('v2');
  });
});

describe('a hostile file', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'invalid_field'],
    ['no card', fileOf({ hello: 'world' }), 'invalid_field'],
    ['no JSON', Buffer.from('{'), 'invalid_field'],
    ['no name', fileOf({ ...V2, data: { ...V2.data, name: ' ' } }), 'invalid_field'],
    ['half a character', fileOf({ ...V2, data: { ...V2.data, name: '\uD83E' } }), 'invalid_field'],
    ['a deep one', Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'invalid_field'],
    [
      'a deep extension',
      Buffer.from(
        `{"spec":"chara_card_v2","data":{"name":"A","extensions":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}}`,
      ),
      'invalid_field',
    ],
    ['a huge one', hugeOf(MAX_CARD_BYTES), 'too_large'],
    [
      'one that grows beyond the limit when it is stored',
      Buffer.from(`{"name":"A","first_mes":"","x":[1e20${',1e20'.repeat(1_500_000)}]}`),
      'too_large',
    ],
    ['an unclosed string', Buffer.from(`"${String.raw`\"`.repeat(900_000)}`), 'invalid_field'],
  ])('%s is refused', async (_, file, code) => {
    await expect(preview(file)).rejects.toMatchObject({ code });
  });

  it('cannot change any prototype, and stays unchanged', async () => {
    const json = JSON.stringify(V2).replace(
      '"extensions":{"other/app"',
      '"extensions":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"other/app"',
    );
    const actor = actorOf();
    const { id } = await take(actor, Buffer.from(json));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const { content } = await exportCard(rig, actor, { id, format: 'v2' });
    expect(content.toString()).toContain('"__proto__": {\n');
  });

  it('of wrong types is read as far as it can be', async () => {
    const data = {
      name: 'Ada',
      description: 7,
      mes_example: [],
      extensions: 'x',
      character_book: { entries: [3, { keys: 'owl' }] },
    };
    expect((await preview(fileOf({ ...V2, data }))).persona).toMatchObject({
      name: 'Ada',
      description: '',
    });
  });
});

it('the card of a persona can be exported only by its owner', async () => {
  const { id } = await take(actorOf(), fileOf(V2));
  await expect(exportCard(rig, actorOf(), { id, format: 'v2' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('names the members of a fusion in the card of its owner only', async () => {
  const [owner, editor] = [actorOf(), actorOf()];
  const { id } = await createPersona(rig, owner, {
    fields: fieldsOf(),
    fusion: { members: [{ id: newId(), name: 'A private one', weight: 100 }] },
  });
  const grant = { principal: userPrincipal(editor.userId), role: 'editor' as const };
  await rig.personas.replaceGrants({ id, ownerId: owner.userId }, { from: [], to: [grant] });
  expect((await put(owner, id, 'v3')).data.extensions).toHaveProperty('stolas/fusion');
  expect((await put(editor, id, 'v3')).data.extensions).not.toHaveProperty('stolas/fusion');
});

it('keeps the model of a card only when it is offered here', async () => {
  const actor = actorOf();
  const { id } = await createPersona(rig, actor, { fields: fieldsOf({ model: 'owl-1' }) });
  const { content } = await exportCard(rig, actor, { id, format: 'v3' });
  const options = { acceptsInstructions: true };
  expect(await importCard(rig, actor, { bytes: content, ...options })).toMatchObject({
    model: 'owl-1',
  });
  const foreign = Buffer.from(content.toString().replaceAll('owl-1', 'dear-1'));
  expect((await preview(foreign)).persona.model).toBeNull();
  expect(await importCard(rig, actor, { bytes: foreign, ...options })).toMatchObject({
    name: 'Ada',
    model: null,
  });
});

describe('the picture of a PNG card', () => {
  const text = { keyword: 'ccv3', text: base64(V3) };
  const canvas = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'crimson' } }).composite([
      {
        input: { create: { width: 40, height: 40, channels: 3, background: 'gold' } },
        left: 0,
        top: 0,
      },
    ]);
  const cardOf = async (width: number, height: number) => {
    const secret = { exif: { IFD0: { Copyright: 'secret place' } } };
    const drawn = await canvas(width, height).withExif(secret.exif).png().toBuffer();
    return pngWith(drawn, [text, { keyword: 'Comment', text: 'secret note' }]);
  };
  /** A small picture with another size in its header. */
  const lying = async (width: number, height: number) => {
    const drawn = await canvas(60, 90).png().toBuffer();
    const header = Buffer.from(drawn.subarray(16, 29));
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    return Buffer.concat([drawn.subarray(0, 8), chunk('IHDR', header), drawn.subarray(33)]);
  };
  const pixels = (png: Buffer) => sharp(png).removeAlpha().raw().toBuffer();
  const pictureOf = (actor: ReturnType<typeof actorOf>, { id }: { id: string }) =>
    cardPicture(rig, actor, id);

  it("is kept, small and without the file's other data, and is exported again", async () => {
    const actor = actorOf();
    const made = await take(actor, await cardOf(800, 1_200));
    expect(made.pictureUrl).toBe(`/api/personas/${made.id}/picture`);
    const picture = await pictureOf(actor, made);
    expect(await sharp(picture).metadata()).toMatchObject({
      format: 'png',
      width: 400,
      height: 600,
    });
    expect(textsOf(picture, ['ccv3', 'Comment']).size).toBe(0);
    expect(picture.includes('secret')).toBe(false);

    const { content } = await exportCard(rig, actor, { id: made.id, format: 'png' });
    expect(await pixels(content)).toEqual(await pixels(picture));
    const other = actorOf();
    const again = await take(other, content);
    expect(await pixels(await pictureOf(other, again))).toEqual(await pixels(picture));
    const exported = await put(other, again.id, 'v3');
    expect({ ...exported, data: withoutOwn(exported.data) }).toEqual(V3);
  });

  it('is copied with the persona, and belongs to its owner', async () => {
    const actor = actorOf();
    const made = await take(actor, await cardOf(60, 90));
    const copy = await duplicatePersona(rig, actor, made.id);
    expect(await pixels(await pictureOf(actor, copy))).toEqual(
      await pixels(await pictureOf(actor, made)),
    );
    await expect(pictureOf(actorOf(), made)).rejects.toMatchObject({ code: 'not_found' });
    const listed = await listPersonas(rig, actor);
    expect(listed.filter(({ pictureUrl }) => pictureUrl)).toHaveLength(2);
  });

  it('does not exist for a JSON card, nor for an export without one', async () => {
    const actor = actorOf();
    const made = await take(actor, fileOf(V3));
    const { content } = await exportCard(rig, actor, { id: made.id, format: 'png' });
    const again = await take(actor, content);
    for (const persona of [made, again]) {
      expect(persona).not.toHaveProperty('pictureUrl');
      await expect(pictureOf(actor, persona)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it.each([
    ['with too many pixels', async () => pngWith(await lying(20_000, 12_000), [text])],
    ['that says that it is larger than it is', async () => pngWith(await lying(6_000, 90), [text])],
    [
      'whose pixels are another format',
      async () =>
        pngOf(
          textChunk('ccv3', text.text),
          chunk('IDAT', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
        ),
    ],
  ])('%s is left out, and the persona is imported', async (_what, make) => {
    const made = await take(actorOf(), await make());
    expect(made).toMatchObject({ name: 'Ada' });
    expect(made).not.toHaveProperty('pictureUrl');
  });

  it('of an SVG is no card at all', async () => {
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><desc>${text.text}</desc></svg>`,
    );
    await expect(take(actorOf(), svg)).rejects.toMatchObject({ code: 'invalid_field' });
  });
});
