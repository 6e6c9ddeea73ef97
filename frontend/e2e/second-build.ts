import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A build beside that of the project, whose hashed files have other names. */
export interface SecondBuild {
  /** Has web.js and worker.js. */
  backend: string;
  remove: () => Promise<void>;
}

const HASHED = /[\w.@+~-]+\.(?:js|css)/g;

/** Makes a build from the present one, as a later deploy would bring it. Inside the project, because it loads packages from there. */
export async function secondBuild(root: string): Promise<SecondBuild> {
  const folder = path.join(root, '.cache/builds', `${process.pid}-${Date.now()}`);
  const [backend, frontend] = ['backend/dist', 'frontend/dist'].map((it) => path.join(folder, it));
  if (!backend || !frontend) throw new Error('no folder');
  await mkdir(folder, { recursive: true });
  await cp(path.join(root, 'backend/dist'), backend, { recursive: true });
  await cp(path.join(root, 'frontend/dist'), frontend, {
    recursive: true,
    filter: (file) => !/\.(br|gz)$/.test(file),
  });
  await rename(frontend);
  return { backend, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function rename(frontend: string): Promise<void> {
  const assets = path.join(frontend, 'assets');
  const names = (await readdir(assets)).filter((name) => /\.(js|css)$/.test(name));
  const later = new Map(names.map((name) => [name, name.replace(/(\.\w+)$/, '2$1')]));
  const renamed = (text: string) => text.replaceAll(HASHED, (name) => later.get(name) ?? name);
  for (const [name, other] of later) {
    const text = await readFile(path.join(assets, name), 'utf8');
    await rm(path.join(assets, name));
    await writeFile(path.join(assets, other), renamed(text));
  }
  const page = path.join(frontend, 'index.html');
  const html = renamed(await readFile(page, 'utf8'));
  const build = `content="${new Date().getUTCFullYear() + 1}0101000000-0123456789ab"`;
  await writeFile(page, html.replace(/(?<=<meta name="build" )content="[^"]*"/, build));
}
