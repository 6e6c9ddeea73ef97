import { Long, ObjectId } from 'bson';
import { MAX_DOCUMENT } from '../bson.ts';
import { MAX_MESSAGE } from '../wire.ts';
import type { Command } from './command.ts';

/** The MongoDB version whose behaviour is implemented, and its protocol version. */
const VERSION = [7, 0, 0, 0];
const WIRE_VERSION = 21;

/** With it, a driver waits for news instead of asking for them. Nothing of this server changes until it ends. */
const topologyVersion = { processId: new ObjectId(), counter: Long.ZERO };

const hello: Command = {
  takes: 'anything',
  run: () => ({
    topologyVersion,
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: MAX_DOCUMENT,
    maxMessageSizeBytes: MAX_MESSAGE,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  }),
};

const nothing: Command = { takes: 'anything', run: () => ({}) };

const buildInfo: Command = {
  takes: [],
  run: () => ({
    version: VERSION.slice(0, 3).join('.'),
    versionArray: VERSION,
    // The product recognises this server by this entry and refuses it in production.
    modules: ['stolas-embedded'],
    bits: 64,
    maxBsonObjectSize: MAX_DOCUMENT,
  }),
};

export const sessionCommands: Record<string, Command> = {
  hello,
  ismaster: hello,
  isMaster: hello,
  ping: nothing,
  endSessions: nothing,
  buildInfo,
  buildinfo: buildInfo,
};
