import { type ModelEntry, REASONING_LEVELS, type ReasoningLevel } from './models.ts';

/** The parameter that sets the amount of reasoning in one request. */
export interface ReasoningSetting {
  /** Its path in the request: `reasoning_effort`, `thinking.budget_tokens`. */
  parameter: string;
  value: string | number | boolean;
  /** The level that the value represents; it differs from the requested one when the model has fewer or the reply is too short. */
  applied: ReasoningLevel;
  /** The fields of the request. */
  fields: Record<string, unknown>;
}

const PARAMETERS = {
  effort: 'reasoning_effort',
  budget: 'thinking',
  toggle: 'enable_thinking',
} as const;

/** A reply of `maxTokens` includes its reasoning: a quarter stays for the answer. */
const LARGEST_SHARE = 0.75;

/**
 * The parameter for `level` of a model.
 * @param maxTokens maximum length of the answer with its reasoning, in tokens
 * @returns null when the model takes no such parameter
 */
export function reasoningSetting(
  entry: ModelEntry,
  level: ReasoningLevel,
  maxTokens: number,
): ReasoningSetting | null {
  if (entry.style === 'none') return null;
  const wanted = valueAt(entry, level);
  const value = typeof wanted === 'number' ? withinReply(entry, wanted, maxTokens) : wanted;
  if (value === null) return null;
  const path = entry.parameter ?? PARAMETERS[entry.style];
  return { ...placed(path, value), value, applied: levelOf(entry, value) };
}

/** The value for a level. With fewer values than levels a level gets the lower neighbour, so that no user pays for more than they chose. */
function valueAt({ style, levels = [], min = 0, max = 0 }: ModelEntry, level: ReasoningLevel) {
  const at = REASONING_LEVELS.indexOf(level);
  if (style === 'toggle') return level === 'highest';
  if (style === 'budget') {
    if (level === 'lowest') return levels.includes('off') ? false : min;
    return level === 'highest' ? max : Math.round(Math.sqrt(Math.max(min, 1) * max));
  }
  if (level === 'medium' && levels.includes('medium')) return 'medium';
  return levels[Math.floor((at * (levels.length - 1)) / 2)] ?? '';
}

function withinReply({ levels = [], min = 0 }: ModelEntry, budget: number, maxTokens: number) {
  const most = Math.min(budget, Math.floor(maxTokens * LARGEST_SHARE));
  if (most >= min) return most;
  return levels.includes('off') ? false : null;
}

function levelOf(entry: ModelEntry, value: ReasoningSetting['value']): ReasoningLevel {
  if (typeof value !== 'number')
    return REASONING_LEVELS.find((level) => valueAt(entry, level) === value) ?? 'lowest';
  // A reduced budget represents the highest level that it pays for.
  const paid = (level: ReasoningLevel) => Number(valueAt(entry, level)) <= value;
  return REASONING_LEVELS.findLast(paid) ?? 'lowest';
}

function placed(path: string, value: ReasoningSetting['value']) {
  if (path !== 'thinking') return { parameter: path, fields: nested(path.split('.'), value) };
  const parameter = typeof value === 'number' ? 'thinking.budget_tokens' : 'thinking.type';
  const type = value === false ? 'disabled' : 'enabled';
  const budget = typeof value === 'number' ? { budget_tokens: value } : {};
  return { parameter, fields: { thinking: { type, ...budget } } };
}

const nested = (path: string[], value: unknown): Record<string, unknown> => {
  const [name = '', ...rest] = path;
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
};
