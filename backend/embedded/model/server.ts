import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type * as z from 'zod';
import { answerTo } from './answer.ts';
import type { Answer } from './commands.ts';
import { complete } from './completion.ts';
import { EmbeddingBody, embeddingsFor } from './embedding.ts';
import { askedIn, ChatBody, structuredIn } from './request.ts';
import { structuredAnswer } from './structured/index.ts';

/** An error answer in OpenAI's form. */
class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, message: string, code: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The demo model: an OpenAI-compatible server (chat completions, embeddings, models) for a run without a real provider. It answers every
 * request with `apiKey`, for any model name. See docs/decisions/0003-demo-model.md.
 */
export function createDemoModel({ apiKey }: { apiKey: string }): Server {
  return createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    response.setHeader('server', 'stolas-embedded');
    handle(request, response, { apiKey, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) refuse(response, error);
    });
  });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { apiKey, signal }: { apiKey: string; signal: AbortSignal },
): Promise<void> {
  if (request.headers.authorization !== `Bearer ${apiKey}`) {
    throw new Refusal(401, 'Incorrect API key provided.', 'invalid_api_key');
  }
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const route = `${request.method} ${pathname}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, MODELS);
  if (route === 'POST /v1/embeddings')
    return sendJson(response, 200, embeddingsFor(await readBody(request, EmbeddingBody)));
  if (route !== 'POST /v1/chat/completions') throw new Refusal(404, `Unknown request: ${route}`);
  const body = await readBody(request, ChatBody);
  const answer = answerOf(body);
  if (answer.error) {
    if (answer.error.status === 429) response.setHeader('retry-after', '1');
    throw new Refusal(answer.error.status, answer.error.message, answer.error.code);
  }
  await complete(response, { body, answer, signal });
}

/** A text, or a structured answer when the request names a schema. */
function answerOf(body: ChatBody): Answer {
  const name = body.response_format?.json_schema?.name;
  if (name === undefined) return answerTo(askedIn(body));
  const value = structuredAnswer(name, structuredIn(body));
  if (value === undefined)
    throw new Refusal(400, `The demo model does not know answers of the kind '${name}'.`);
  return { text: JSON.stringify(value), waitMs: 0, chunksPerSecond: 1_000 };
}

const MODELS = {
  object: 'list',
  data: [{ id: 'stolas-demo', object: 'model', created: 0, owned_by: 'stolas' }],
};

async function readBody<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.output<Schema>> {
  const raw = await json(request).catch(() => {
    throw new Refusal(400, 'The body is not JSON.');
  });
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(400, `Invalid value for '${issue?.path.join('.')}': ${issue?.message}`);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  if (!(error instanceof Refusal))
    return refuse(response, new Refusal(500, 'The demo model has a bug.'));
  const type = error.status < 500 ? 'invalid_request_error' : 'server_error';
  const { message, code, status } = error;
  sendJson(response, status, { error: { message, type, param: null, code } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}
