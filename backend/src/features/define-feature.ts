import type { Router } from 'express';
import type { Config } from '../config.ts';
import type { Retention } from '../contract/privacy-statement.ts';
import type { ServerEvents } from '../contract/realtime.ts';
import type { Migration } from '../db/migrate.ts';
import type { Connection } from '../db/mongo.ts';
import type { Redis } from '../db/redis.ts';
import type { ShardKey, ShardKeys } from '../db/sharding.ts';
import type { RateLimit, Turn } from '../http/index.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import type { OnPartition } from '../jobs/partitions.ts';
import type { JobProducer } from '../jobs/producer.ts';
import type { JobRun } from '../jobs/worker.ts';
import type { ChatProvider, Embedder, JsonModel } from '../llm/index.ts';
import type { Log } from '../log.ts';
import type { Mailer } from '../mail/index.ts';
import type { FormStorage, ObjectStore } from '../objects/index.ts';
import type { PaymentGateway } from '../payments/index.ts';
import type { FileReader } from '../reading/index.ts';
import type { Bus } from '../realtime/bus.ts';
import type { Channels } from '../realtime/channels.ts';
import type { SecurityLog } from '../security-log.ts';
import type { ContextContributor } from './context.ts';
import type { ExportEntries, ExportEntry } from './export-entry.ts';
import type { PostStep } from './post-step.ts';
import { modelStores, type OwnerField, type OwnerFields, type UserStore } from './user-store.ts';

/** The parts of every process. */
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
  /** Publishes fail fast, subscriptions wait for Redis. */
  channels: Channels;
  bus: Bus;
  /** Opens the queue of a kind of job. The process closes it. */
  produce: <Payload>(definition: JobDefinition<Payload>) => JobProducer<Payload>;
}

/** The additional parts of a web process, for routes. */
export interface WebTools {
  rateLimit: RateLimit;
  /** For calls that wait for nothing but database and Redis. */
  turn: Turn;
  /** The retention of all features. */
  retention: readonly Retention[];
}

/** The additional parts of a worker process, for sweeps and post-steps. */
export interface WorkerTools {
  mailer: Mailer;
  provider: ChatProvider;
  /** The same model for background calls that need a structured answer. */
  jsonModel: JsonModel;
  /** Erases the data of a user in every feature, the account last. Rejects when some of it remains; the caller repeats the call. */
  eraseUser: (userId: string) => Promise<void>;
  /** The data of a user in all features, as files; contents are read when an entry is opened. */
  exportUser: (userId: string) => AsyncIterable<ExportEntry>;
  /** All stores of a user's data. */
  userStores: readonly UserStore[];
  userJobs: UserJobs;
}

/** The jobs of a user in all queues. */
export interface UserJobs {
  /** The number of waiting and running jobs. */
  count: (userId: string) => Promise<number>;
  /** Removes the jobs that are not running. */
  remove: (userId: string) => Promise<void>;
}

/** The additional parts of a worker process, for jobs. */
export interface JobTools extends WorkerTools {
  /** The post-steps of all features. */
  postSteps: readonly PostStep[];
  /** The contributors of all features. */
  contributors: readonly ContextContributor[];
}

/**
 * Periodic work of the workers: it begins soon after the start, and again `everyMs` after it ended. It runs in every worker, whatever its
 * jobs, and in two at once when a worker was suspended.
 */
export type Sweep = { name: string; everyMs: number } & (
  | {
      /** `each`: every worker runs it, because each item is handled by one of them. */
      runBy: 'each';
      run: () => Promise<void>;
    }
  | {
      /** `leader`, the default: one of the workers runs it. */
      runBy?: 'leader';
      run: () => Promise<void>;
      /** Called in the other workers instead. */
      onFollow?: () => void;
    }
  | {
      /** `partitioned`: every worker runs it, each on a partition that no other has at the time. */
      runBy: 'partitioned';
      run: (onPartition: OnPartition) => Promise<void>;
    }
);

export type LeaderSweep = Extract<Sweep, { runBy?: 'leader' }>;

/** A feature with its parts, for its routes, jobs and sweeps. */
export type Own<Models, Service, Others> = Core & {
  models: Models;
  service: Service;
  others: Others;
};

/** The manifest of a feature. */
export interface FeatureManifest<Name extends string, Models, Service, Others> {
  /** The name of its folder, under which other features find its service. */
  name: Name;
  /** Defines its models on a connection. */
  models: (connection: Connection) => Models;
  /** The field with the user's id in each model, or null. A deletion is checked by it. */
  owners: OwnerFields<Models>;
  /** How each model is divided among shards; `npm run shard -- --print` reads it. */
  shardKeys: ShardKeys<Models>;
  /** The stores of a user's data outside its models. A deletion is checked by them. */
  userStores?: (own: Own<Models, Service, Others>) => readonly UserStore[];
  migrations?: readonly Migration[];
  /** The retention of data that it erases by itself. The privacy page lists it. */
  retention?: readonly Retention[];
  /** The events that it publishes to tabs. */
  socketEvents?: readonly (keyof ServerEvents)[];
  /**
   * Builds the service for routes, jobs and other features. `others` has the declared services; services of later features are available in
   * calls, but not while this runs.
   */
  create: (core: Core & { models: Models }, others: Others) => Service;
  routes?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  /** Routes under /api that read the unparsed body, mounted before the JSON parser. */
  rawRoutes?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  /** Pages that the server renders, mounted at the root before the frontend. */
  pages?: (own: Own<Models, Service, Others> & WebTools) => Router[];
  jobs?: (
    own: Own<Models, Service, Others> & JobTools,
  ) => readonly JobRun[] | Promise<readonly JobRun[]>;
  sweeps?: (own: Own<Models, Service, Others> & WorkerTools) => readonly Sweep[];
  /** The steps after each complete reply, independent of the feature's place in the list. */
  postSteps?: (own: Own<Models, Service, Others> & WorkerTools) => readonly PostStep[];
  /** Its parts of each prompt. */
  contributors?: (own: Own<Models, Service, Others>) => readonly ContextContributor[];
  /** Erases a user's data. Repeating it does no harm. Features erase in the reverse order of the list. */
  eraseUser?: (own: Own<Models, Service, Others>, userId: string) => Promise<void>;
  /** The user's data, as files of the export. */
  exportUser?: (own: Own<Models, Service, Others>, userId: string) => ExportEntries;
}

/** A feature on the connection of a process. */
export interface BuiltFeature<Service = unknown> {
  name: string;
  service: Service;
  routes: (tools: WebTools) => Router[];
  rawRoutes: (tools: WebTools) => Router[];
  pages: (tools: WebTools) => Router[];
  jobs: (tools: JobTools) => Promise<readonly JobRun[]>;
  sweeps: (tools: WorkerTools) => readonly Sweep[];
  postSteps: (tools: WorkerTools) => readonly PostStep[];
  contributors: () => readonly ContextContributor[];
  eraseUser: (userId: string) => Promise<void>;
  exportUser: (userId: string) => ExportEntries;
  userStores: () => readonly UserStore[];
}

export interface Feature<Name extends string, Service, Others> {
  name: Name;
  models: (connection: Connection) => unknown;
  owners: Readonly<Record<string, OwnerField | null>>;
  shardKeys: Readonly<Record<string, ShardKey>>;
  migrations: readonly Migration[];
  retention: readonly Retention[];
  socketEvents: readonly (keyof ServerEvents)[];
  build: (core: Core, others: Others) => BuiltFeature<Service>;
}

/** Describes a feature for processes. List it in list.ts. */
export function defineFeature<const Name extends string, Models, Service, Others = object>(
  manifest: FeatureManifest<Name, Models, Service, Others>,
): Feature<Name, Service, Others> {
  const { name, models, migrations = [], socketEvents = [], retention = [] } = manifest;
  return {
    name,
    models,
    owners: manifest.owners,
    shardKeys: manifest.shardKeys,
    migrations,
    retention,
    socketEvents,
    build: (core, others) => {
      const withModels = { ...core, models: models(core.connection) };
      const service = manifest.create(withModels, others);
      const own = { ...withModels, service, others };
      return {
        name,
        service,
        routes: (tools) => manifest.routes?.({ ...own, ...tools }) ?? [],
        rawRoutes: (tools) => manifest.rawRoutes?.({ ...own, ...tools }) ?? [],
        pages: (tools) => manifest.pages?.({ ...own, ...tools }) ?? [],
        jobs: async (tools) => (await manifest.jobs?.({ ...own, ...tools })) ?? [],
        sweeps: (tools) => manifest.sweeps?.({ ...own, ...tools }) ?? [],
        postSteps: (tools) => manifest.postSteps?.({ ...own, ...tools }) ?? [],
        contributors: () => manifest.contributors?.(own) ?? [],
        eraseUser: async (userId) => manifest.eraseUser?.(own, userId),
        exportUser: (userId) => manifest.exportUser?.(own, userId) ?? [],
        userStores: () => [
          ...modelStores(name, own.models, manifest.owners),
          ...(manifest.userStores?.(own) ?? []),
        ],
      };
    },
  };
}
