// Screenshots of the screens, dark and light, wide and narrow, in screenshots/.
// Arguments choose: `npm run screenshots -- narrow light chat files`.
import type { Browser, Page } from 'playwright-core';
import { account, chat } from './account-screenshots.ts';
import { features } from './feature-screenshots.ts';
import { files } from './file-screenshots.ts';
import { artifacts, panels, quotas } from './panel-screenshots.ts';
import { type Options, shotIn } from './picture-steps.ts';
import { startBrowser, startProduct, Visitor } from './product.ts';
import { german, publicPages } from './public-screenshots.ts';

type Part = (page: Page, options: Options) => Promise<void>;

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const THEMES = { dark: 'dark', light: 'light' } as const;
/** Pictures of visitors, guests and subscribers; each has a browser of its own. */
const FOR_VISITORS: Record<string, Part> = { public: publicPages, german };
const FOR_GUESTS: Record<string, Part> = {
  chat,
  files,
  account,
  features,
  quotas,
};
const FOR_SUBSCRIBERS: Record<string, Part> = { artifacts, panels };
const PARTS = { ...FOR_VISITORS, ...FOR_GUESTS, ...FOR_SUBSCRIBERS };

const wanted = process.argv.slice(2);
const KNOWN = [SIZES, THEMES, PARTS].flatMap((of) => Object.keys(of));
const unknown = wanted.filter((name) => !KNOWN.includes(name));
if (unknown.length > 0)
  throw new Error(`Not known: ${unknown.join(', ')}. Known are: ${KNOWN.join(', ')}.`);

/** Those of `all` that the arguments name; all when they name none of them. */
function chosen<T>(all: Record<string, T>): [string, T][] {
  const named = Object.entries(all).filter(([name]) => wanted.includes(name));
  return named.length > 0 ? named : Object.entries(all);
}

interface Picture {
  browser: Browser;
  url: string;
  part: [string, Part];
  size: [string, { width: number; height: number }];
  theme: 'dark' | 'light';
}

async function take({ browser, url, part, size, theme }: Picture): Promise<void> {
  const [name, run] = part;
  const isMobile = size[0] === 'narrow';
  const visitor = await Visitor.arrive(browser, url, {
    viewport: size[1],
    colorScheme: theme,
    locale: name === 'german' ? 'de-DE' : 'en-US',
    // Ended by Playwright, animations that follow the scroll position would stand at their end.
    reducedMotion: 'reduce',
    isMobile,
    hasTouch: isMobile,
    deviceScaleFactor: isMobile ? 2 : 1,
  });
  const shot = shotIn(`${size[0]}-${theme}`);
  try {
    const page = await enter(visitor, name);
    await run(page, { url, shot });
  } catch (error) {
    const [page] = visitor.context.pages();
    if (page) await shot(page, `error-${name}`);
    throw error;
  } finally {
    await visitor.context.close();
  }
}

async function enter(visitor: Visitor, name: string): Promise<Page> {
  if (name in FOR_VISITORS) return visitor.open();
  if (name in FOR_GUESTS) return visitor.enterAsGuest();
  const page = await visitor.register(
    `${crypto.randomUUID()}@example.com`,
    'a long enough password',
  );
  await page.getByRole('button', { name: 'Choose Starter' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('Start New Conversation').waitFor();
  return page;
}

const [product, browser] = await Promise.all([
  // So that the content security policy admits the payment form.
  startProduct({ STRIPE_UI: 'embedded', RATE_LIMITS: 'false' }),
  startBrowser(),
]);
try {
  for (const size of chosen(SIZES))
    for (const [, theme] of chosen(THEMES))
      for (const part of chosen(PARTS)) {
        const label = `${part[0]}, ${size[0]}, ${theme}`;
        try {
          await take({ browser, url: product.url, part, size, theme });
          console.log(`✓ ${label}`);
        } catch (error) {
          // The other pictures are worth having.
          console.error(`✗ ${label}:`, error);
          process.exitCode = 1;
        }
      }
} finally {
  await browser.close();
  await product.stop();
}
