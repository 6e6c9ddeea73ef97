import * as z from 'zod';

/** Keywords that strict servers refuse or ignore; zod checks them afterwards. */
const NOT_SENT = [
  '$schema',
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maximum',
  'maxLength',
  'minItems',
  'minimum',
  'minLength',
  'pattern',
] as const;

/** The JSON schema of `schema`, in the part of the language that strict servers know. */
export function strictSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of NOT_SENT) delete jsonSchema[keyword];
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return plain;
}

type Read<T> = { value: T } | { wrong: string };

/** Maximum number of faults in the request for another answer. */
const MAX_ISSUES = 8;

/** Reads an answer: JSON, even inside a code block or between sentences. `wrong` lists the faults. */
export function readAnswer<T>(text: string, schema: z.ZodType<T>): Read<T> {
  const json = parsed(text);
  if (json === undefined) return { wrong: 'It is not valid JSON.' };
  const { success, data, error } = schema.safeParse(json);
  if (success) return { value: data };
  const issues = error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`);
  return { wrong: issues.join('; ') };
}

function parsed(text: string): unknown {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
