// npm start, npm run dev, npm run services: from a clean clone to a running product, in one command.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { main, Stop } from './terminal.mjs';

const HELP = `npm start                 everything on this machine: http://localhost:3000
npm run dev               the same, rebuilt as you edit
npm run dev -- --inspect  with debuggers of web and worker; prints where they listen
npm run services          only the database, Redis, object store and demo model; prints how to reach them

Settings are environment variables or lines of a file .env; .env.example explains them all. Common settings:
  PORT                    where STOLAS listens (3000)
  DATA_DIR                where it keeps its data (./data)
  OPENAI_API_KEY          a real model instead of the demo model; OPENAI_BASE_URL and OPENAI_MODEL go with it
  MONGODB_URI, REDIS_URL, S3_ENDPOINT
                          a service of your own instead of the one that is started here`;

const MODES = { '--dev': 'dev', '--services': 'services' };

await main(async () => {
  const given = process.argv.slice(2);
  const flags = given.filter((flag) => flag !== '--inspect');
  if (flags.includes('--help') || flags.includes('-h')) return console.log(HELP);
  const unknown = flags.find((flag) => !(flag in MODES));
  if (unknown) throw new Stop(`${unknown} is not known here.\n\n${HELP}`);
  checkNode();
  const env = path.join(root, '.env');
  if (existsSync(env)) process.loadEnvFile(env);
  await installPackages();
  await buildChanged();
  const mode = MODES[flags[0]] ?? 'all';
  if (given.includes('--inspect')) process.env.INSPECT = 'true';
  // In this process, which becomes the supervisor, so that ending it ends everything.
  await import(pathToFileURL(path.join(root, 'backend/embedded/dist', `${mode}.js`)).href);
});
