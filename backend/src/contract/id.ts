import * as z from 'zod';

/** The id of a record, in either notation of its hexadecimal digits. */
export const Id = z
  .string()
  .regex(/^[0-9a-f]{24}$/i)
  .toLowerCase();
