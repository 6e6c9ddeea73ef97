import type { Answer } from './route.ts';
import { xmlDocument } from './xml.ts';

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
});

export const xmlAnswer = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body,
});

/** An answer in XML with the elements `content` under `name`. */
export const xml = (name: string, ...content: string[]): Answer =>
  xmlAnswer(xmlDocument(name, ...content));

export const quoted = (etag: string) => `"${etag}"`;

export const isoDate = (milliseconds: number) => new Date(milliseconds).toISOString();
