import * as z from 'zod';

/** The amount of reasoning before an answer. */
export const REASONING_LEVELS = ['lowest', 'medium', 'highest'] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

/**
 * How a model takes the amount of reasoning: `effort`: a word of `levels`; `budget`: tokens from `min` to `max`, and `off` in `levels` when
 * it can do without; `toggle`: on or off; `none`: not at all.
 */
export const ModelEntry = z
  .object({
    /** The model's name; `*` matches any characters. */
    model: z.string().min(1),
    style: z.enum(['effort', 'budget', 'toggle', 'none']),
    /** Path of the parameter in the request; the default depends on the style. `thinking` takes an object with a `type`. */
    parameter: z
      .string()
      .regex(/^[a-z]\w*(\.[a-z]\w*)*$/i)
      .optional(),
    /** From the lowest to the highest. */
    levels: z.array(z.string().min(1)).min(1).optional(),
    min: z.int().min(0).optional(),
    max: z.int().min(1).optional(),
  })
  .refine(({ style, levels }) => style !== 'effort' || levels, 'effort needs levels')
  .refine(
    ({ style, min, max }) =>
      style !== 'budget' || (min !== undefined && max !== undefined && min <= max),
    'budget needs min and max',
  );
export type ModelEntry = z.infer<typeof ModelEntry>;

const effort = (model: string, ...levels: string[]): ModelEntry => ({
  model,
  style: 'effort',
  levels,
});
const none = (model: string): ModelEntry => ({ model, style: 'none' });
/** The maximum budget fits three quarters of the longest reply at the default of `MAX_REPLY_TOKENS_DEEP`. */
const thinking = (model: string): ModelEntry => ({
  model,
  style: 'budget',
  parameter: 'thinking',
  levels: ['off'],
  min: 1_024,
  max: 6_000,
});

/** From the providers' API references, November 2026; the first matching entry counts. */
const KNOWN: readonly ModelEntry[] = [
  effort('stolas-demo', 'low', 'medium', 'high'),
  none('gpt-5*-chat*'),
  effort('gpt-5-pro*', 'high'),
  effort('gpt-5.*', 'none', 'low', 'medium', 'high'),
  effort('gpt-5*', 'minimal', 'low', 'medium', 'high'),
  effort('gpt-oss*', 'low', 'medium', 'high'),
  none('o1-mini*'),
  none('o1-preview*'),
  effort('o1*', 'low', 'medium', 'high'),
  effort('o3*', 'low', 'medium', 'high'),
  effort('o4*', 'low', 'medium', 'high'),
  effort('grok-3-mini*', 'low', 'high'),
  effort('gemini-2.5-flash*', 'none', 'low', 'medium', 'high'),
  effort('gemini-2.5-pro*', 'low', 'medium', 'high'),
  effort('gemini-3*', 'low', 'high'),
  thinking('claude-3-7-*'),
  thinking('claude-opus-4*'),
  thinking('claude-sonnet-4*'),
  thinking('claude-haiku-4*'),
  none('qwen3*-instruct*'),
  none('qwen3*-thinking*'),
  none('qwen3-coder*'),
  { model: 'qwen3*', style: 'toggle', parameter: 'enable_thinking' },
  { model: 'glm-4.5*', style: 'toggle', parameter: 'thinking' },
  { model: 'glm-4.6*', style: 'toggle', parameter: 'thinking' },
];

/** The entry of `model`: the first match of `entries`, then of the known families; else none. */
export function findModel(model: string, entries: readonly ModelEntry[] = []): ModelEntry {
  const name = model.toLowerCase();
  const names = [name, name.slice(name.lastIndexOf('/') + 1)];
  const fits = ({ model: pattern }: ModelEntry) =>
    names.some((candidate) => toRegExp(pattern.toLowerCase()).test(candidate));
  return entries.find(fits) ?? KNOWN.find(fits) ?? { model, style: 'none' };
}

const toRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`,
    's',
  );
