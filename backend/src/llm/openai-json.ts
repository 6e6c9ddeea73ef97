import type { OpenAI } from 'openai';
import type * as z from 'zod';
import { createNodeFetch } from './event-stream.ts';
import { readAnswer, strictSchema } from './json-answer.ts';
import { readUsage } from './openai-chunk.ts';
import { failure, toFailure } from './openai-errors.ts';
import {
  adapted,
  COMMON_DIALECT,
  clientOf,
  type Dialect,
  refusalOf,
  type ServerAddress,
  toParam,
} from './openai-request.ts';
import {
  type JsonModel,
  type JsonRequest,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
  StructuredAnswerError,
} from './port.ts';
import { countPromptTokens, countTokens } from './tokens.ts';

interface JsonModelOptions extends ServerAddress {
  model: string;
  /** Milliseconds after which a call without an answer ends. */
  timeoutMs: number;
}

/** The form in which a request asks for JSON: by a schema, as any JSON object, or in the prompt alone. */
interface JsonDialect extends Dialect {
  readonly form: 'schema' | 'object' | 'text';
  readonly hasTemperature: boolean;
}

const FIRST_DIALECT: JsonDialect = { ...COMMON_DIALECT, form: 'schema', hasTemperature: true };
const NEXT_FORM = { schema: 'object', object: 'text' } as const;

/** The form to use after `thrown`; never an earlier one. */
function next(dialect: JsonDialect, thrown: unknown): JsonDialect | undefined {
  const common = adapted(dialect, thrown);
  if (common) return common;
  const refusal = refusalOf(thrown);
  if (!refusal) return undefined;
  const { text, isNameless } = refusal;
  if (dialect.hasTemperature && /temperature/.test(text))
    return { ...dialect, hasTemperature: false };
  if (
    dialect.form !== 'text' &&
    (isNameless || /response_format|json_schema|json_object|schema|structured/i.test(text))
  )
    return { ...dialect, form: NEXT_FORM[dialect.form] };
  return undefined;
}

/**
 * Calls any OpenAI-compatible API for values of a schema (chat completions, not streamed). Parts of the form that a server refuses are left
 * out from then on. Does not retry failures of the provider.
 */
export function createOpenAiJsonModel({
  model,
  timeoutMs,
  ...server
}: JsonModelOptions): JsonModel {
  const client = clientOf(server, { timeout: timeoutMs, fetch: createNodeFetch() });
  const caller: Caller = { client, model, learned: FIRST_DIALECT };
  return {
    model,
    answer: async (request) => {
      const { name, schema, messages, maxCalls = 2 } = request;
      const first = await call(caller, request, messages);
      const read = readAnswer(first.text, schema);
      if ('value' in read) return { value: read.value, usage: first.usage, calls: 1 };
      if (maxCalls === 1) throw new StructuredAnswerError(name, first.usage);
      const repair = repairing(messages, first.text, read.wrong);
      const second = await call(caller, request, repair).catch((error: unknown) => {
        // The first call is charged even when the second one fails.
        if (error instanceof ProviderError) throw new StructuredAnswerError(name, first.usage);
        throw error;
      });
      const usage = sum(first.usage, second.usage);
      const repaired = readAnswer(second.text, schema);
      if ('value' in repaired) return { value: repaired.value, usage, calls: 2 };
      throw new StructuredAnswerError(name, usage);
    },
  };
}

interface Caller {
  client: OpenAI;
  model: string;
  /** The form of a request that the server accepts. */
  learned: JsonDialect;
}

/** Compatible servers deviate from the SDK's types. */
type LooseCompletion = Partial<OpenAI.ChatCompletion> | null | undefined;

async function call<T>(caller: Caller, request: JsonRequest<T>, messages: PromptMessage[]) {
  const completion: LooseCompletion = await send(caller, request, messages);
  const choice = completion?.choices?.[0];
  // Such as an error with status 200.
  if (!choice) throw failure('unreadable', { cause: 'an answer without choices' }).error;
  const { message, finish_reason: reason } = choice;
  if (reason === 'content_filter' || message?.refusal) throw failure('refused').error;
  const text = typeof message?.content === 'string' ? message.content : '';
  const counted = readUsage(completion.usage, completion.model);
  const usage = counted ?? (await countedHere(messages, text));
  return { text, usage: { model: caller.model, ...usage } };
}

async function send<T>(caller: Caller, request: JsonRequest<T>, messages: PromptMessage[]) {
  const { client, model } = caller;
  for (let dialect = caller.learned; ; ) {
    try {
      const body = jsonBody(model, { ...request, messages }, dialect);
      return await client.chat.completions.create(body, { signal: request.signal });
    } catch (thrown) {
      request.signal.throwIfAborted();
      const other = next(dialect, thrown);
      if (!other) throw toFailure(thrown, Date.now).error;
      dialect = other;
      caller.learned = other;
    }
  }
}

function jsonBody<T>(
  model: string,
  { name, schema, messages, maxTokens }: JsonRequest<T>,
  { lengthName, form, hasTemperature, forbidsStoring }: JsonDialect,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const asked = form === 'schema' ? messages : [...messages, schemaMessage(name, schema)];
  return {
    model,
    messages: asked.map(toParam),
    [lengthName]: maxTokens,
    ...(hasTemperature && { temperature: 0 }),
    ...(forbidsStoring && { store: false }),
    ...(form === 'schema' && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name, strict: true, schema: strictSchema(schema) },
      },
    }),
    ...(form === 'object' && { response_format: { type: 'json_object' as const } }),
  };
}

const schemaMessage = (name: string, schema: z.ZodType): PromptMessage => ({
  role: 'user',
  content: `Answer with one JSON object and nothing else. It has to fit this JSON schema, named ${name}:\n${JSON.stringify(strictSchema(schema))}`,
});

const repairing = (messages: PromptMessage[], text: string, wrong: string): PromptMessage[] => [
  ...messages,
  { role: 'assistant', content: text },
  {
    role: 'user',
    content: `This answer does not have the required form. ${wrong}\nAnswer again with one JSON object of the required form and nothing else.`,
  },
];

const countedHere = async (messages: PromptMessage[], text: string) => ({
  promptTokens: await countPromptTokens(messages),
  cachedTokens: 0,
  completionTokens: await countTokens(text),
  reasoningTokens: 0,
});

const sum = (a: ProviderUsage, b: ProviderUsage): ProviderUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  model: b.model,
});
