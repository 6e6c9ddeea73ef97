// frontend/look.tmp.ts
import { mkdirSync, writeFileSync } from "node:fs";

// frontend/e2e/product.ts
import getPort from "get-port";
import { chromium } from "playwright-core";
var ADDRESS_BAR = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];
var OFF_BY_PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch"
];
var FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...ADDRESS_BAR, ...OFF_BY_PLAYWRIGHT].join(",")}`
];
function startBrowser() {
  const executablePath = process.env.CHROME_PATH ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: FLAGS });
}
var Visitor = class _Visitor {
  constructor(context, url2) {
    this.context = context;
    this.url = url2;
  }
  context;
  url;
  errors = [];
  static async arrive(browser2, url2, options = {}) {
    return new _Visitor(await browser2.newContext({ ...options }), url2);
  }
  async open(address = "/") {
    const page = await this.context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("pageerror", (error) => this.errors.push(String(error)));
    await page.goto(new URL(address, this.url).href);
    return page;
  }
  /** Registers a new user, who is then shown the plans. */
  async register(email, password) {
    const page = await this.open("/login");
    await page.getByRole("button", { name: "Don't have an account? Sign up" }).click();
    await page.getByLabel("First Name").fill("Ada");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Create Account" }).click();
    await page.getByText("Choose Your Plan").waitFor();
    return page;
  }
  async signIn(email, password) {
    const page = await this.open("/login");
    await fillSignIn(page, email, password);
    await page.getByText("Choose Your Plan").waitFor();
    return page;
  }
  /** Starts a guest session from the landing page. */
  async enterAsGuest() {
    const page = await this.open();
    await page.getByRole("link", { name: "Enter STOLAS" }).first().click();
    await page.getByRole("button", { name: "Continue as Guest (Demo Mode)" }).click();
    await page.getByText("Start New Conversation").waitFor();
    return page;
  }
};
async function fillSignIn(page, email, password) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
}

// frontend/e2e/steps.ts
import axe from "axe-core";
import { expect } from "vitest";
var lastReply = (page) => page.locator("[data-role=assistant]").last();
var statusOf = (page) => lastReply(page).getAttribute("data-status");

// frontend/look.tmp.ts
import axe2 from "axe-core";
var url = process.env.LOOK_URL ?? "http://localhost:4555";
var OUT = process.env.LOOK_OUT ?? "/tmp/looks/shots";
mkdirSync(OUT, { recursive: true });
var only = (process.argv[2] ?? "").split(",").filter(Boolean);
var langs = (process.env.LANGS ?? "en,de").split(",");
var sizes = (process.env.SIZES ?? "wide,narrow").split(",");
var faults = [];
var browser = await startBrowser();
var sleep = (ms) => new Promise((r) => setTimeout(r, ms));
async function snap(page, name, { full = false } = {}) {
  if (only.length && !only.some((o) => name.startsWith(o))) return;
  await sleep(350);
  for (const theme of ["dark", "light"]) {
    await page.evaluate((on) => document.documentElement.classList.toggle("dark", on), theme === "dark");
    await sleep(250);
    await page.screenshot({ path: `${OUT}/${name}-${theme}.png`, animations: "disabled", fullPage: full });
    if (process.env.AXE) {
      await page.evaluate(() => {
        for (const a of document.getAnimations()) if (a.effect?.getComputedTiming().endTime !== Infinity) a.finish();
      });
      await page.evaluate(axe2.source);
      const { violations } = await page.evaluate("axe.run()");
      for (const v of violations) for (const n of v.nodes) faults.push(`${name}-${theme} [${v.impact}] ${v.id}: ${n.html.slice(0, 220)}`);
    }
  }
  await page.evaluate(() => document.documentElement.classList.add("dark"));
}
var W = {
  en: { demo: "View Live Demo", leases: "What changed between these two leases?", report: "Sum up the annual report with one mistake in it", check: "Check against sources", page: "Draw the way from a question to a checked answer", sidebar: "Open sidebar", close: "Close sidebar", disc: /^Let an analyst/, discText: "Let an analyst", mem: "Remember that I prefer short answers", formula: "Explain Kepler\u2019s third law", start: "Start New Conversation", open: "Open" },
  de: { demo: "Live-Demo ansehen", leases: "Was hat sich zwischen diesen beiden Mietvertr\xE4gen ge\xE4ndert?", report: "Fasse den Jahresbericht mit einem Fehler darin zusammen", check: "Mit Quellen vergleichen", page: "Zeichne den Weg von einer Frage zur gepr\xFCften Antwort", sidebar: "Seitenleiste \xF6ffnen", disc: /^Lass Analyst/, discText: "Lass Analyst", mem: "Merk dir", formula: "Erkl\xE4re", start: "Neue Unterhaltung beginnen", open: "\xD6ffnen" }
};
var step = async (name, f) => {
  try {
    await f();
  } catch (e) {
    console.log("\u2717", name, String(e).split("\n")[0]);
  }
};
for (const lang of langs) for (const size of sizes) {
  const w = W[lang];
  const viewport = size === "wide" ? { width: 1440, height: 900 } : { width: 390, height: 844 };
  const opts = { locale: lang === "de" ? "de-DE" : "en-GB", viewport, reducedMotion: "reduce", ...size === "narrow" && { hasTouch: true, isMobile: true, deviceScaleFactor: 1 } };
  const n = (s) => `${s}-${lang}-${size}`;
  const visitor = await Visitor.arrive(browser, url, opts);
  let page = await visitor.open("/");
  page.setDefaultTimeout(12e3);
  await sleep(1200);
  await snap(page, n("01-landing"));
  await snap(page, n("01-landing-full"), { full: true });
  for (const [p, s] of [["/features", "02-features"], ["/privacy", "03-privacy"], ["/login", "04-login"], ["/login?mode=register", "04-register"]]) await step(s, async () => {
    await page.goto(url + p);
    await sleep(700);
    if (s === "04-register") await page.getByRole("button", { name: /sign up|registrieren|Registriere|Konto\?/i }).first().click();
    await snap(page, n(s));
  });
  await page.goto(url);
  await page.getByRole("link", { name: w.demo }).first().click();
  await page.getByRole("button", { name: w.leases }).waitFor();
  await snap(page, n("05-home"));
  const ask = async (name, prompt) => {
    await page.goto(url);
    await page.getByRole("button", { name }).first().click();
    const box = page.locator("textarea[data-composer]");
    await box.evaluate((_) => 0);
    for (let i = 0; i < 60 && !(await box.inputValue()).includes(prompt); i++) await sleep(100);
    await sleep(500);
  };
  const go = async () => {
    await page.locator("textarea[data-composer]").press(size === "narrow" ? "Control+Enter" : "Enter");
    if (size === "narrow") await page.locator("button[type=submit]").last().click().catch(() => 0);
    for (let i = 0; i < 300; i++) {
      await sleep(100);
      if (await lastReply(page).count() && await statusOf(page) === "complete") break;
    }
    await sleep(1500);
  };
  await step("new", async () => {
    await page.getByRole("button", { name: w.start, exact: true }).click();
    await snap(page, n("06-new"));
  });
  await step("leases", async () => {
    await ask(w.leases, w.leases);
    await snap(page, n("07-composer"));
    await go();
    await snap(page, n("07-reply"));
    await lastReply(page).locator("[data-source]").first().click();
    await page.locator("mark").first().waitFor();
    await snap(page, n("08-viewer"));
    await page.keyboard.press("Escape");
  });
  await step("claims", async () => {
    await ask(w.report, w.report);
    await go();
    await lastReply(page).getByRole("button", { name: w.check }).click();
    await lastReply(page).locator(".claim-contradicted").waitFor();
    await sleep(500);
    await snap(page, n("09-claims"));
  });
  await step("artifact", async () => {
    await ask(w.page, w.page);
    await go();
    await sleep(2500);
    await snap(page, n("10-artifact"));
  });
  await step("panel", async () => {
    await ask(w.disc, w.discText);
    await go();
    await snap(page, n("11-panel"));
  });
  await step("formula", async () => {
    await page.goto(url);
    await page.locator("button").filter({ hasText: w.formula }).first().click();
    await sleep(700);
    await go();
    await snap(page, n("12-formula"));
  });
  await step("memory", async () => {
    await page.goto(url);
    await page.locator("button").filter({ hasText: w.mem }).first().click();
    await sleep(700);
    await go();
    await sleep(3500);
    await snap(page, n("12-memory-reply"));
  });
  await step("home-used", async () => {
    await page.goto(url);
    await sleep(800);
    await snap(page, n("05-home-used"));
  });
  await step("sidebar", async () => {
    if (size === "narrow") await page.getByRole("button", { name: w.sidebar, exact: true }).click();
    await sleep(600);
    await snap(page, n("13-sidebar"));
    await page.getByRole("searchbox").first().fill("lentil").catch(async () => page.locator("input[type=search]").first().fill("lentil"));
    await sleep(1500);
    await snap(page, n("13-search-none"));
    await page.locator("input[type=search]").first().fill(lang === "de" ? "miet" : "lease");
    await sleep(1500);
    await snap(page, n("13-search"));
  });
  await step("menu", async () => {
    await page.goto(url);
    await sleep(800);
    await page.keyboard.press("Control+k");
    await sleep(900);
    await snap(page, n("14-menu"));
    await page.keyboard.press("Escape");
  });
  for (const [p, s] of [["/personas", "15-personas"], ["/memory", "17-memory"], ["/files", "18-files"], ["/subscription", "19-plans"], ["/settings", "20-settings"], ["/settings#usage", "20-usage"], ["/settings#import", "20-import"]]) await step(s, async () => {
    await page.goto(url + p);
    await sleep(1500);
    await snap(page, n(s));
    if (s === "19-plans") await snap(page, n("19-plans-full"), { full: true });
  });
  await step("persona", async () => {
    await page.goto(url + "/personas");
    await sleep(1e3);
    await page.getByRole("link", { name: lang === "de" ? /Neue Persona/ : /New persona/i }).or(page.getByRole("button", { name: lang === "de" ? /Neue Persona/ : /New persona/i })).first().click();
    await sleep(1200);
    await snap(page, n("15-persona-new"));
  });
  await step("fusion", async () => {
    await page.goto(url + "/personas");
    await sleep(1e3);
    await page.getByRole("link", { name: /Fus|Verschm|Verein/i }).or(page.getByRole("button", { name: /Fus|Verschm|Verein/i })).first().click();
    await sleep(1200);
    await snap(page, n("16-fusion"));
  });
  await step("uploader", async () => {
    await page.goto(url);
    await sleep(600);
    await page.locator("button[aria-haspopup=dialog]").first().click();
    await sleep(1500);
    await snap(page, n("21-uploader"));
  });
  if (visitor.errors.length) console.log(n("errors"), visitor.errors.slice(0, 5));
  await visitor.context.close();
}
if (process.env.AXE) {
  writeFileSync("/tmp/looks/axe.txt", faults.join("\n"));
  console.log("axe faults", faults.length);
}
await browser.close();
