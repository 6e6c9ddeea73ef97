import { type Environment, nodeService, type Service } from './plan.ts';
import { freePort } from './ports.ts';
import { StartError } from './start-error.ts';
import type { SupervisedService } from './supervised.ts';
import type { Supervisor } from './supervisor.ts';

const NO_BALANCER =
  'With NODE_ENV=production, start the web processes behind a load balancer (docs/operating.md): the one of --web hides the IP addresses of users.';

/** Most objects of a worker live for a moment. With more room for new objects it collects garbage less often (docs/operating.md). */
const WORKER_OPTIONS = ['--max-semi-space-size=64'];

/** Where the product listens. */
export interface Address {
  /** Undefined when PORT is invalid, which the web process reports. */
  port: number | undefined;
  /** The URL for users, when it is not the default of the web process. */
  publicUrl?: string | undefined;
}

/** Web and worker: one of each, or the numbers of the settings; several web processes get a balancer. */
export async function superviseProduct(
  supervisor: Supervisor,
  { port, publicUrl }: Address,
): Promise<SupervisedService[]> {
  const { settings } = supervisor;
  const address = {
    ...(port !== undefined && { PORT: String(port) }),
    ...(publicUrl !== undefined && { PUBLIC_URL: publicUrl }),
  };
  const isBalanced = settings.webs > 1 && port !== undefined;
  if (isBalanced && settings.isProduction) throw new StartError(NO_BALANCER);
  const ports = isBalanced ? await freePorts(settings.webs) : [];
  const PUBLIC_URL = publicUrl ?? settings.publicUrl ?? `http://localhost:${port}`;
  const webs = isBalanced
    ? ports.map((one) => ({ PORT: String(one), HOST: '127.0.0.1', PUBLIC_URL }))
    : [address];
  const start = createStarter(supervisor);
  // Stages are stopped in reverse: the web processes first, and then the balancer, which their last answers pass.
  const [workers, , started] = await Promise.all([
    start(
      'worker',
      Array.from({ length: settings.workers }, () => address),
    ),
    supervisor.supervise(isBalanced ? [balancer(supervisor, port, ports)] : []),
    start('web', webs),
  ]);
  return [...workers, ...started];
}

const freePorts = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));

/** Starts processes of one kind: `web`, or `web.1`, `web.2` … when there are several. */
const createStarter =
  (supervisor: Supervisor) =>
  async (script: string, processes: readonly Environment[]): Promise<SupervisedService[]> => {
    const { productScripts: scripts, services, settings, terminal, assetsDir } = supervisor;
    // The same port after each restart.
    const ports = settings.inspect ? await freePorts(processes.length) : [];
    return supervisor.supervise(
      processes.map((env, index) => {
        const name = processes.length === 1 ? script : `${script}.${index + 1}`;
        const nodeOptions = script === 'worker' ? [...WORKER_OPTIONS] : [];
        const inspector = ports[index] && `127.0.0.1:${ports[index]}`;
        if (inspector) {
          terminal.line(`A debugger of ${name} attaches to ${inspector}`);
          nodeOptions.push(`--inspect=${inspector}`);
        }
        const all = { ...settings.shutdown, ...services, ...env, ASSETS_DIR: assetsDir };
        return nodeService({ name, script, scripts, env: all, nodeOptions });
      }),
    );
  };

const balancer = (
  { scripts, settings }: Supervisor,
  port: number,
  webPorts: readonly number[],
): Service =>
  nodeService({
    name: 'embedded-balancer',
    scripts,
    args: [
      '--host',
      settings.host,
      '--port',
      String(port),
      ...webPorts.flatMap((one) => ['--to', String(one)]),
    ],
  });
