import type { Persona } from '@stolas/backend/contract';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testSubscriber } from '../../lib/user.fixture.ts';
import { openPage } from '../../ui/page.fixture.tsx';
import { fieldsOf } from './editor/fields.ts';
import { PersonasPage } from './personas-page.tsx';

export const idOf = (n: number): string => String(n).padStart(24, '0');

/** A persona of the user; `fields` override. */
export const testPersona = (n: number, fields: Partial<Persona> = {}): Persona => ({
  ...fieldsOf(undefined),
  id: idOf(n),
  name: `Persona ${n}`,
  version: 1,
  isReadyMade: false,
  hasCard: false,
  createdAt: '2026-01-01T10:00:00.000Z',
  updatedAt: '2026-01-01T10:00:00.000Z',
  ...fields,
});

const PREVIEW = { prompt: 'In this conversation you are “Ada”.', tokens: 12, maxTokens: 2_000 };

/** As the list has it. */
const summaryOf = ({ id, version, name, role, avatar, greeting, depth, ...rest }: Persona) => {
  const { isReadyMade, hasCard, pictureUrl, fusion, shared, createdAt, updatedAt } = rest;
  const shown = { id, version, name, role, avatar, greeting, depth, isReadyMade, hasCard };
  return { ...shown, pictureUrl, fusion, shared, createdAt, updatedAt };
};

/** The server of a user with these personas. */
export function servePersonas(personas: readonly Persona[]) {
  return fakeServer({
    'GET /api/auth/user': { body: testSubscriber() },
    'GET /api/personas?fields=summary': { body: personas.map(summaryOf) },
    ...Object.fromEntries(personas.map((body) => [`GET /api/personas/${body.id}`, { body }])),
    'GET /api/personas/models': { body: { models: ['owl-1'] } },
    'POST /api/personas/preview': { body: PREVIEW },
  });
}

/** Shows the page at an address. */
export const openPersonas = (address = '/personas') => openPage(<PersonasPage />, address);
