import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { xmlAnswer } from './answers.ts';
import { corsHeaders } from './cors.ts';
import { accessDenied, S3Error } from './errors.ts';
import { parseRequest, type S3Request } from './request.ts';
import type { Answer } from './route.ts';
import { routeOf } from './routes.ts';
import { authenticate, type Credentials } from './sigv4.ts';
import type { Store } from './store.ts';
import { text, xmlDocument } from './xml.ts';

interface Options {
  store: Store;
  credentials: Credentials;
  /** Receives errors that the client did not cause. */
  report: (error: unknown) => void;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** The S3 API over a store. Every request is signed, except a browser's preflight. */
export function createS3Server(options: Options): Server {
  const server = createServer((incoming, response) => {
    serve(incoming, response, options).catch((error: unknown) => {
      // The client disconnected, or the answer was interrupted: there is no client to send an error to.
      if (!response.writableEnded) response.destroy();
      if (!isAborted(error)) options.report(error);
    });
  });
  // No timeout, because a large upload over a slow connection takes long.
  server.requestTimeout = 0;
  // A client that is busy may begin a request just as an idle connection is closed. It closes them itself within this time.
  server.keepAliveTimeout = 75_000;
  return server;
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: Options,
): Promise<void> {
  // Sent with every response, so that the product can detect this store in production.
  response.setHeader('server', 'stolas-embedded');
  response.setHeader('x-amz-request-id', randomUUID());
  const request = tryParse(incoming);
  const cors = corsOf(incoming, request, options.store);
  for (const [name, value] of Object.entries(cors ?? {})) response.setHeader(name, value);
  const answer = await answerTo(incoming, { request, cors, options }).catch((error: unknown) =>
    refusal(error, options.report),
  );
  await send(response, answer, incoming);
}

function tryParse(incoming: IncomingMessage): S3Request | S3Error {
  try {
    return parseRequest(incoming);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

function corsOf(incoming: IncomingMessage, request: S3Request | S3Error, store: Store) {
  if (request instanceof S3Error || !store.has(request.bucket)) return undefined;
  return corsHeaders(incoming, store.bucket(request.bucket).cors);
}

async function answerTo(
  incoming: IncomingMessage,
  {
    request,
    cors,
    options,
  }: {
    request: S3Request | S3Error;
    cors: Record<string, string> | undefined;
    options: Options;
  },
): Promise<Answer> {
  if (request instanceof S3Error) throw request;
  if (incoming.method === 'OPTIONS') {
    if (!cors) throw accessDenied('This origin may not do this.');
    return { status: 200 };
  }
  const { credentials, store, now = Date.now } = options;
  const payload = authenticate(request, credentials, now());
  return routeOf(request).run({ ...request, payload }, store);
}

function refusal(error: unknown, report: (error: unknown) => void): Answer {
  const known =
    error instanceof S3Error
      ? error
      : new S3Error(500, 'InternalError', 'We met an internal error.');
  if (known !== error && !isAborted(error)) report(error);
  const body = xmlDocument('Error', text('Code', known.code), text('Message', known.message));
  return xmlAnswer(body, known.status);
}

async function send(
  response: ServerResponse,
  { status, headers = {}, body }: Answer,
  incoming: IncomingMessage,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  // The rest of a refused body is not read, so the connection cannot be reused.
  if (!incoming.complete) response.setHeader('connection', 'close');
  if (body instanceof Readable) await pipeline(body, response);
  else if (body === undefined || incoming.method === 'HEAD') response.end();
  else response.setHeader('content-length', Buffer.byteLength(body)).end(body);
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(String(error.code));
