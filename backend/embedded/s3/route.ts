import type { Readable } from 'node:stream';
import type { SignedRequest } from './body.ts';
import type { Store } from './store.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Readable;
}

export interface Route {
  readonly method: string;
  readonly on: 'bucket' | 'object';
  /** Fields that identify the route. */
  readonly needs?: readonly string[];
  /** Further allowed fields; one that ends in `*` allows every name with this prefix. */
  readonly allows?: readonly string[];
  /** Supported condition headers; any other one is refused. */
  readonly conditions?: readonly string[];
  run(request: SignedRequest, store: Store): Promise<Answer>;
}
