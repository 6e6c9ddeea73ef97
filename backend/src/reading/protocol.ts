// The protocol between the reader and its child process: a request is one line of JSON on the child's standard input, its answer one line
// per message on the child's file descriptor 3. The child ends with its standard input.
import * as z from 'zod';
import type { FileKind, FileProblemCode, UnreadKind } from '../contract/files.ts';
import { LANGUAGE_CODE } from './languages.ts';
import { MAX_PAGE_LENGTH } from './limits.ts';
import { CHILD_TASKS } from './port.ts';

export const RESULT_DESCRIPTOR = 3;

const count = z.int().min(0);
const positive = z.int().min(1);
const share = z.number().min(0).max(1);
const file = { path: z.string(), name: z.string() };
const page = { ...file, n: positive };

export const Request = z.discriminatedUnion('call', [
  z.object({ call: z.literal('read'), ...file, thumbnailWidth: positive.optional() }),
  z.object({ call: z.literal('renderPage'), ...page, width: positive }),
  z.object({
    call: z.literal('recognisePage'),
    ...page,
    withText: z.boolean(),
    languages: z.array(z.string().regex(LANGUAGE_CODE)).min(1),
  }),
  z.object({
    call: z.literal('markPage'),
    ...page,
    text: z.string().max(MAX_PAGE_LENGTH),
    start: count,
    end: count,
  }),
  z.object({ call: z.literal('imageForModel'), ...file }),
  z.object({ call: z.literal('imageForCard'), ...file }),
  z.object({ call: z.literal('runTask'), task: z.enum(CHILD_TASKS), path: z.string() }),
]);
export type Request = z.infer<typeof Request>;

const KINDS = [
  'pdf',
  'image',
  'table',
  'text',
  'markdown',
  'code',
  'document',
  'other',
] as const satisfies FileKind[];

const PROBLEMS = [
  'encrypted',
  'damaged',
  'empty',
  'no_text',
  'too_complex',
  'timed_out',
  'unsupported',
  'internal',
] as const satisfies FileProblemCode[];

const UNREAD_KINDS = [
  'picture',
  'no_text',
  'font',
  'image',
  'object',
] as const satisfies UnreadKind[];

const Page = z.object({
  n: positive,
  label: z.string().max(100).optional(),
  text: z.string(),
  rowsStart: count.optional(),
  unread: z.enum(UNREAD_KINDS).optional(),
  picture: z.object({ width: z.number().positive(), height: z.number().positive() }).optional(),
});

/** A message of the child. `done`, `failed` and `fault` end an answer. */
export const Message = z.discriminatedUnion('is', [
  z.object({ is: z.literal('progress'), done: count, total: count }),
  z.object({ is: z.literal('page'), page: Page }),
  /** Every page was sent. */
  z.object({ is: z.literal('text'), truncated: z.boolean() }),
  z.object({ is: z.literal('recognised'), text: z.string().max(MAX_PAGE_LENGTH) }),
  z.object({ is: z.literal('type'), type: z.string().max(200), kind: z.enum(KINDS) }),
  /** The messages of one answer are consecutive. */
  z.object({ is: z.literal('bytes'), type: z.string().max(200), base64: z.base64() }),
  z.object({
    is: z.literal('rects'),
    rects: z.array(z.object({ left: share, top: share, width: share, height: share })).max(10_000),
  }),
  z.object({ is: z.literal('done'), truncated: z.boolean() }),
  /** The file cannot be read. */
  z.object({ is: z.literal('failed'), code: z.enum(PROBLEMS), detail: z.string().max(2_000) }),
  /** The child itself has failed. */
  z.object({ is: z.literal('fault'), detail: z.string().max(10_000) }),
]);
export type Message = z.infer<typeof Message>;
