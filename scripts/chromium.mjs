// Chromium for the browser journeys: the installed one, or Debian's package of its headless shell, which takes two thirds of the processor time.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { canUnpackDebian, libraryPath, onPath, unpackDebian } from '../backend/embedded/debian.mjs';
import { root } from './prepare.mjs';
import { quietly, Stop, step } from './terminal.mjs';

const PACKAGE = 'chromium-headless-shell';
const NAMES = [PACKAGE, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

const INSTALL = `The browser journeys need Chromium, and none was found. Install it and run this again:
  Debian           sudo apt-get install ${PACKAGE}
  Fedora           sudo dnf install chromium
  macOS            brew install --cask google-chrome
  Windows          winget install Google.Chrome
Or set CHROME_PATH to a Chrome or Chromium that is there.`;

/**
 * The path of a working Chromium. When it is missing, it is installed (as root) or unpacked into .cache (otherwise). Rejects with a Stop
 * that says what to install.
 */
export async function findChromium() {
  const given = process.env.CHROME_PATH;
  if (given) {
    if (existsSync(given)) return given;
    throw new Stop(`CHROME_PATH is ${given}, and there is nothing there.`);
  }
  const unpacked = path.join(root, '.cache/chromium', PACKAGE);
  const found = installed() ?? (existsSync(unpacked) ? unpacked : undefined);
  if (found) return found;
  if (!canUnpackDebian()) throw new Stop(INSTALL);
  try {
    return await fetchChromium(unpacked);
  } catch (error) {
    throw new Stop(`${INSTALL}\n(Fetching it failed: ${error.message})`);
  }
}

function installed() {
  const found = NAMES.map(onPath).find(Boolean);
  return found ?? (existsSync(MAC) ? MAC : undefined);
}

async function fetchChromium(unpacked) {
  if (process.getuid?.() === 0) {
    await step('Chromium installed', async () => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await quietly('apt-get', ['update', '-qq'], { env });
      await quietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', PACKAGE], {
        env,
      });
    });
    return installed();
  }
  await step('Chromium unpacked into .cache', () => unpackChromium(unpacked));
  return unpacked;
}

/** Debian's Chromium expects to be in /usr: a small script sets the paths of its libraries and fonts. */
async function unpackChromium(file) {
  const folder = path.dirname(file);
  await unpackDebian({ packages: [PACKAGE, 'fonts-dejavu-core', 'fontconfig-config'], folder });
  const fonts = path.join(folder, 'fonts.conf');
  const { LD_LIBRARY_PATH } = await libraryPath(folder);
  writeFileSync(
    fonts,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${folder}/usr/share/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>\n`,
  );
  const program = path.join(folder, 'usr/lib/chromium', PACKAGE);
  if (!existsSync(program)) throw new Stop(`this system's package has no ${program}`);
  writeFileSync(
    file,
    `#!/bin/sh
export LD_LIBRARY_PATH='${LD_LIBRARY_PATH}' FONTCONFIG_FILE='${fonts}'
exec '${program}' "$@"
`,
  );
  chmodSync(file, 0o755);
}
