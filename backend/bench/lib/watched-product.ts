import { startServices } from '../../../frontend/e2e/product.ts';
import { proxyDatabase } from '../../test/database-proxy.ts';
import { startStampedProduct } from './stamped-product.ts';

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);
/** Commands of the driver itself. */
const OF_DRIVER = new Set(['hello', 'ismaster', 'ping', 'endSessions', 'buildInfo']);

/**
 * Starts the stamped product on services whose database commands are counted.
 * @param env further settings of the product
 */
export async function startWatchedProduct(env: Record<string, string> = {}) {
  const services = await startServices({ OPENAI_API_KEY: 'bench' });
  const counts = { all: 0, reads: 0, writtenBytes: 0 };
  /** By command and collection. */
  const kinds = new Map<string, number>();
  const proxy = await proxyDatabase(services.settings.MONGODB_URI ?? '', (command, bytes) => {
    const [verb = ''] = Object.keys(command);
    if (OF_DRIVER.has(verb)) return;
    counts.all += 1;
    const kind = `${verb} ${String(command[verb])}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (WRITES.has(verb)) counts.writtenBytes += bytes;
    else counts.reads += 1;
  });
  const settings = { ...services.settings, MONGODB_URI: proxy.uri, ...env };
  const { product, stop } = await startStampedProduct(settings);
  return {
    product,
    /** The commands that the database was sent so far. */
    commands: () => ({ ...counts, kinds: new Map(kinds) }),
    stop: async () => {
      await stop();
      proxy.close();
      await services.stop();
    },
  };
}
