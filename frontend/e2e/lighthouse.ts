// Lighthouse's scores of the pages that a visitor sees first, on a phone and on a desktop. Lighthouse is no dependency
// of the project: npx fetches it when this is run.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startProduct } from './product.ts';

const VERSION = 'lighthouse@12';
const PATHS = ['/', '/login'];
const FORMS = { phone: [], desktop: ['--preset=desktop'] };
/** The least that each category must reach, of 100. */
const LEAST = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 };
const REPORT_BYTES = 50_000_000;

interface Report {
  categories: Record<string, { score: number }>;
}

async function scoresOf(url: string, options: string[]): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      VERSION,
      url,
      ...options,
      '--quiet',
      '--output=json',
      `--only-categories=${Object.keys(LEAST).join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ],
    { maxBuffer: REPORT_BYTES },
  );
  const { categories } = JSON.parse(stdout) as Report;
  return Object.fromEntries(
    Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)]),
  );
}

const product = await startProduct();
try {
  for (const path of PATHS) {
    for (const [form, options] of Object.entries(FORMS)) {
      const scores = await scoresOf(new URL(path, product.url).href, options);
      const words = Object.entries(scores).map(([name, score]) => `${name} ${score}`);
      console.log(`${path} on a ${form}: ${words.join(', ')}`);
      const isKept = Object.entries(LEAST).every(([name, least]) => (scores[name] ?? 0) >= least);
      if (!isKept) process.exitCode = 1;
    }
  }
} finally {
  await product.stop();
}
