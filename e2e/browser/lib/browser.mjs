// A headless Chromium that notes every request and every fault of a page.
import { chromium } from "playwright-core";
import fs from "node:fs";
import { after, before } from "node:test";
import os from "node:os";
import path from "node:path";
import { Hub } from "./hub.mjs";

const arguments_ = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export async function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: arguments_ });
}

// A hub and a browser for the tests of a file: started before the first, ended after the last.
export function studio() {
  const at = {
    // A page of the hub, opened.
    async open({ hash = "", ...options } = {}) {
      const view = await openPage(at.browser, { origin: at.hub.origin, ...options });
      view.page.setDefaultTimeout(30_000);
      await view.page.goto(at.hub.url + hash);
      return view;
    },
  };
  before(async () => {
    at.hub = await Hub.start();
    at.browser = await openBrowser();
  });
  after(async () => {
    await at.browser?.close();
    await at.hub?.stop();
  });
  return at;
}

// How far the page can be scrolled sideways, which is not at all.
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// Both themes, wide and narrow: nothing is cut off; pictures for people. Leaves the page light and wide.
export async function inAllLooks(page, name) {
  for (const [colorScheme, width] of [["light", 400], ["dark", 400], ["dark", 1280], ["light", 1280]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    if ((await overflow(page)) !== 0) throw new Error(`${name} scrolls sideways at ${width} pixels`);
    await shoot(page, `${name}-${colorScheme}-${width}`);
  }
}

// A page in a profile of its own. `faults` collects uncaught errors; `foreign`, requests to any other origin.
export async function openPage(browser, { origin, width = 1280, height = 900, colorScheme = "light" }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  const faults = [];
  const foreign = [];
  const ours = (url) => ["data:", "blob:", "about:"].includes(new URL(url).protocol) || new URL(url).host === new URL(origin).host;
  context.on("request", (request) => { if (!ours(request.url())) foreign.push(request.url()); });
  page.on("websocket", (socket) => { if (!ours(socket.url())) foreign.push(socket.url()); });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  return { context, page, faults, foreign };
}

// Screenshots are kept as artifacts of the run.
export async function shoot(page, name) {
  const folder = path.join(import.meta.dirname, "..", "..", "out", "screenshots");
  fs.mkdirSync(folder, { recursive: true });
  // The head stays at the top of the window, and would lie across a picture of the whole page.
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

export function temporaryFolder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), "studio-test-"));
}

const models = path.join(process.env.STUDIO_CACHE ?? "", "models");
export const model = path.join(models, "SmolLM2-135M-Instruct.Q4_1.gguf");
export const gemma3 = path.join(models, "gemma-3-270m-q4_k_m.gguf");
export const minilm = path.join(models, "all-MiniLM-L6-v2.F32.gguf");
