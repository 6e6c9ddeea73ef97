import * as z from 'zod';

/** The id of a record, in either notation of its hexadecimal digits. */
export const Id = z
  .string()
  .regex(/^[0-9a-f]{24}$/i)
  .toLowerCase();

/** Ids in a query, with commas between them. */
export const Ids = (most: number) =>
  z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(Id).max(most));

/** The end of a page whose entries have a time and an id. */
export const Cursor = z
  .string()
  .regex(/^\d{4}-[0-9T:.-]{18}Z-[0-9a-f]{24}$/)
  .refine((cursor) => !Number.isNaN(Date.parse(cursor.slice(0, 24))));

/** For `refine`: a body whose fields are all optional names one of them. */
export const namesChange = [
  (body: object): boolean => Object.values(body).some((value) => value !== undefined),
  'Name what is to change.',
] as const;
