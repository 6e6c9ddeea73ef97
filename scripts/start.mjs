// npm start, npm run dev, npm run services: from a clean clone to a running product, in one command.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { main, Stop } from './terminal.mjs';

const HELP = `npm start                 everything on this machine: http://localhost:3000
npm start -- --web 2 --workers 3
                          the same with several processes of each kind, as on several machines
npm run dev               the same as npm start, rebuilt as you edit
npm run dev -- --inspect  with debuggers of web and worker; prints where they listen
npm run services          only the services; prints how to reach them

Settings are environment variables or lines of a file .env; .env.example explains them all. Common settings:
  PORT                    where STOLAS listens (3000)
  DATA_DIR                where it keeps its data (./data)
  OPENAI_API_KEY          a real model instead of the demo model; OPENAI_BASE_URL and OPENAI_MODEL go with it
  MONGODB_URI, REDIS_URL, S3_ENDPOINT
                          a service of your own instead of the one that is started here`;

/** Processes of one kind: more do not fit on one machine. */
const MAX_PROCESSES = 32;

await main(async () => {
  const given = readFlags();
  if (given.help) return console.log(HELP);
  checkNode();
  const env = path.join(root, '.env');
  if (existsSync(env)) process.loadEnvFile(env);
  await installPackages();
  await buildChanged();
  const mode = given.services ? 'services' : given.dev ? 'dev' : 'all';
  if (given.inspect) process.env.INSPECT = 'true';
  process.env.WEB_PROCESSES = given.web;
  process.env.WORKER_PROCESSES = given.workers;
  // In this process, which becomes the supervisor, so that ending it ends everything.
  await import(pathToFileURL(path.join(root, 'backend/embedded/dist', `${mode}.js`)).href);
});

function readFlags() {
  const flag = { type: 'boolean', default: false };
  const count = { type: 'string', default: '1' };
  const options = {
    dev: flag,
    services: flag,
    inspect: flag,
    help: { ...flag, short: 'h' },
    web: count,
    workers: count,
  };
  try {
    const { values } = parseArgs({ options });
    for (const name of ['web', 'workers'])
      if (!/^[1-9]\d?$/.test(values[name]) || Number(values[name]) > MAX_PROCESSES)
        throw new Error(`--${name} takes a number from 1 to ${MAX_PROCESSES}.`);
    return values;
  } catch (error) {
    throw new Stop(`${error.message}\n\n${HELP}`);
  }
}
