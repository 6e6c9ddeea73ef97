import * as z from 'zod';
import { Id } from '../contract/id.ts';
import { AppError } from '../errors.ts';

/** An id in a path. Any other text there answers 404. */
export { Id };

export const IdParams = z.object({ id: Id });

type Parse = <S extends z.ZodType>(schema: S, value: unknown) => z.output<S>;

/**
 * The query or body of a request.
 * @throws AppError invalid_field naming the first wrong field.
 */
export const parseInput: Parse = (schema, value) => {
  const parsed = schema.safeParse(value ?? {}, { error: sentence });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.') || 'body',
    message,
  }));
  throw new AppError('invalid_field', issues[0]?.message ?? 'This is not valid.', {
    details: { field: issues[0]?.field ?? 'body', issues },
  });
};

/** The parameters in the path. @throws AppError not_found, exactly as for a record of another user. */
export const parseParams: Parse = (schema, value) => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('not_found', 'This does not exist, or it is not yours.');
};

/** The message when the schema has none; it never quotes the value. */
function sentence(issue: z.core.$ZodRawIssue): string {
  const field = issue.path?.join('.');
  if (!field) return 'The request needs a JSON object with the fields of this call.';
  if (issue.code === 'invalid_type' && issue.input === undefined) return `'${field}' is missing.`;
  if (issue.code === 'too_big') return `'${field}' is too long; at most ${issue.maximum} fit.`;
  if (issue.code === 'too_small') return `'${field}' is too short; at least ${issue.minimum}.`;
  return `'${field}' is not valid.`;
}
