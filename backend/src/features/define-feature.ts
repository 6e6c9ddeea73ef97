import type { Router } from 'express';
import type { Config } from '../config.ts';
import type { Retention } from '../contract/privacy-statement.ts';
import type { ServerEvents } from '../contract/realtime.ts';
import type { Migration } from '../db/migrate.ts';
import type { Connection } from '../db/mongo.ts';
import type { Redis } from '../db/redis.ts';
import type { RateLimit } from '../http/index.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import type { JobProducer } from '../jobs/producer.ts';
import type { JobRun } from '../jobs/worker.ts';
import type { ChatProvider, Embedder, JsonModel } from '../llm/index.ts';
import type { Log } from '../log.ts';
import type { Mailer } from '../mail/index.ts';
import type { FormStorage, ObjectStore } from '../objects/index.ts';
import type { PaymentGateway } from '../payments/index.ts';
import type { FileReader } from '../reading/index.ts';
import type { Bus } from '../realtime/bus.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import type { SecurityLog } from '../security-log.ts';
import type { ContextContributor } from './context.ts';
import type { ExportEntry } from './export-entry.ts';
import type { PostStep } from './post-step.ts';
import { modelStores, type OwnerField, type OwnerFields, type UserStore } from './user-store.ts';

/** What every process has. */
export interface Core {
  config: Config;
  log: Log;
  securityLog: SecurityLog;
  now: () => Date;
  connection: Connection;
  /** Fails fast while Redis is unreachable. */
  redis: Redis;
  payments: PaymentGateway;
  objects: ObjectStore & FormStorage;
  reader: FileReader;
  /** Null without an embedding model. */
  embedder: Embedder | null;
  bus: Bus;
  /** Opens the queue of a kind of job; it is closed with the process. */
  produce: <Payload>(definition: JobDefinition<Payload>) => JobProducer<Payload>;
}

/** What a web process adds, for routes. */
export interface WebTools {
  rateLimit: RateLimit;
  /** What all features keep for how long. */
  retention: readonly Retention[];
}

/** What a worker process adds, for sweeps and post-steps. */
export interface WorkerTools {
  mailer: Mailer;
  provider: ChatProvider;
  /** The same model for background calls that need a value instead of a text. */
  jsonModel: JsonModel;
  subscriptions: Subscriptions;
  /** Erases what every feature keeps of a user, the account last. Rejects when some of it remains; call it again then. */
  eraseUser: (userId: string) => Promise<void>;
  /** Everything that the features keep of a user, as files; contents are read when an entry is opened. */
  exportUser: (userId: string) => AsyncIterable<ExportEntry>;
  /** Everywhere that the features may keep something of a user. */
  userStores: readonly UserStore[];
  userJobs: UserJobs;
}

/** The jobs of all queues whose payload names a user. */
export interface UserJobs {
  /** How many wait or run. */
  count: (userId: string) => Promise<number>;
  /** Removes those that do not run. */
  remove: (userId: string) => Promise<void>;
}

/** What a worker process adds for jobs. */
export interface JobTools extends WorkerTools {
  /** The post-steps of all features. */
  postSteps: readonly PostStep[];
  /** The contributors of all features. */
  contributors: readonly ContextContributor[];
}

/** Work that each worker does soon after its start, and again `everyMs` after it ended. */
export interface Sweep {
  name: string;
  everyMs: number;
  run: () => Promise<void>;
}

/** A feature's own things, as its routes, jobs and sweeps get them. */
export type Own<Models, Service, Others> = Core & {
  models: Models;
  service: Service;
  others: Others;
};

/** Everything about a feature that a process must know. */
export interface FeatureManifest<Name extends string, Models, Service, Others> {
  /** The name of its folder; other features find its service under it. */
  name: Name;
  /** Defines its models on a connection. */
  models: (connection: Connection) => Models;
  /** The field that names the user in each model, or null: what is checked after a deletion. */
  owners: OwnerFields<Models>;
  /** What it keeps of a user outside of its models, to be checked after a deletion. */
  userStores?: (own: Own<Models, Service, Others>) => readonly UserStore[];
  migrations?: readonly Migration[];
  /** How long it keeps what it erases by itself. The privacy page says so. */
  retention?: readonly Retention[];
  /** The events that it publishes to its users' tabs. */
  socketEvents?: readonly (keyof ServerEvents)[];
  /**
   * Builds what routes, jobs and other features call. `others` has the services that it declares to need; those of later
   * features are there when a call comes, and not yet while this runs.
   */
  create: (core: Core & { models: Models }, others: Others) => Service;
  routes?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  /** Routes under /api that read the body as it came: mounted before the JSON parser. */
  rawRoutes?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  /** Pages that the server renders: mounted at the root, before the frontend. */
  pages?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  jobs?: (
    own: Own<Models, Service, Others> & JobTools,
  ) => readonly JobRun[] | Promise<readonly JobRun[]>;
  sweeps?: (own: Own<Models, Service, Others> & WorkerTools) => readonly Sweep[];
  /** What follows each complete reply, whether the feature comes before the chat in the list or after it. */
  postSteps?: (own: Own<Models, Service, Others> & WorkerTools) => readonly PostStep[];
  /** What it adds to the prompt of each reply. */
  contributors?: (own: Own<Models, Service, Others>) => readonly ContextContributor[];
  /** Erases what it keeps of a user. Doing it again does no harm. Features erase in the reverse order of the list. */
  eraseUser?: (own: Own<Models, Service, Others>) => (userId: string) => Promise<void>;
  /** What it keeps of a user, as files of the user's export. */
  exportUser?: (
    own: Own<Models, Service, Others>,
  ) => (userId: string) => AsyncIterable<ExportEntry>;
}

/** A feature on the connection of a process. */
export interface BuiltFeature<Service = unknown> {
  service: Service;
  routes: (tools: WebTools) => Router[];
  rawRoutes: (tools: WebTools) => Router[];
  pages: (tools: WebTools) => Router[];
  jobs: (tools: JobTools) => Promise<readonly JobRun[]>;
  sweeps: (tools: WorkerTools) => readonly Sweep[];
  postSteps: (tools: WorkerTools) => readonly PostStep[];
  contributors: () => readonly ContextContributor[];
  eraseUser: () => (userId: string) => Promise<void>;
  exportUser: () => (userId: string) => AsyncIterable<ExportEntry>;
  userStores: () => readonly UserStore[];
}

export interface Feature<Name extends string, Service, Others> {
  name: Name;
  models: (connection: Connection) => unknown;
  owners: Readonly<Record<string, OwnerField | null>>;
  migrations: readonly Migration[];
  retention: readonly Retention[];
  socketEvents: readonly (keyof ServerEvents)[];
  build: (core: Core, others: Others) => BuiltFeature<Service>;
}

async function* nothing(): AsyncGenerator<ExportEntry> {}

/** Describes a feature: what a process needs to know to run it. List it in list.ts. */
export function defineFeature<const Name extends string, Models, Service, Others = object>(
  manifest: FeatureManifest<Name, Models, Service, Others>,
): Feature<Name, Service, Others> {
  const { name, models, migrations = [], socketEvents = [], retention = [] } = manifest;
  return {
    name,
    models,
    owners: manifest.owners,
    migrations,
    retention,
    socketEvents,
    build: (core, others) => {
      const withModels = { ...core, models: models(core.connection) };
      const service = manifest.create(withModels, others);
      const own = { ...withModels, service, others };
      return {
        service,
        routes: (tools) => manifest.routes?.({ ...own, ...tools }) ?? [],
        rawRoutes: (tools) => manifest.rawRoutes?.({ ...own, ...tools }) ?? [],
        pages: (tools) => manifest.pages?.({ ...own, ...tools }) ?? [],
        jobs: async (tools) => (await manifest.jobs?.({ ...own, ...tools })) ?? [],
        sweeps: (tools) => manifest.sweeps?.({ ...own, ...tools }) ?? [],
        postSteps: (tools) => manifest.postSteps?.({ ...own, ...tools }) ?? [],
        contributors: () => manifest.contributors?.(own) ?? [],
        eraseUser: () => manifest.eraseUser?.(own) ?? (async () => undefined),
        exportUser: () => manifest.exportUser?.(own) ?? nothing,
        userStores: () => [
          ...modelStores(name, own.models, manifest.owners),
          ...(manifest.userStores?.(own) ?? []),
        ],
      };
    },
  };
}
