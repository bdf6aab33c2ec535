// A headless Chromium driven over its debugging pipe with nothing watched. Playwright turns the inspector's network
// domain on in every worker, which then copies each websocket frame to the driver as base64: of no matter to a test,
// most of the time of an export.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export class BareBrowser {
  static async start() {
    const browser = new BareBrowser();
    browser.profile = fs.mkdtempSync(path.join(os.tmpdir(), "studio-bench-"));
    const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
    browser.process = spawn(program, [
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", `--user-data-dir=${browser.profile}`,
      "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.waiting = new Map();
    browser.process.once("exit", (code) => {
      for (const { reject } of browser.waiting.values()) reject(new Error(`Chromium ended with ${code}`));
    });
    let rest = Buffer.alloc(0);
    browser.process.stdio[4].on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
        const { id, result, error } = JSON.parse(rest.subarray(0, end).toString());
        const { resolve, reject } = browser.waiting.get(id) ?? {};
        browser.waiting.delete(id);
        if (error) reject?.(new Error(error.message));
        else resolve?.(result);
      }
    });
    return browser;
  }

  call(method, params = {}, sessionId = undefined) {
    const id = (this.last = (this.last ?? 0) + 1);
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // A page in a profile of its own.
  async open(url) {
    const { browserContextId } = await this.call("Target.createBrowserContext");
    const { targetId } = await this.call("Target.createTarget", { url, browserContextId, width: 1280, height: 900 });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    return new BarePage(this, browserContextId, sessionId);
  }

  async stop() {
    const exited = new Promise((resolve) => this.process.once("exit", resolve));
    await this.call("Browser.close");
    await exited;
    fs.rmSync(this.profile, { recursive: true, force: true });
  }
}

class BarePage {
  constructor(browser, context, session) {
    Object.assign(this, { browser, context, session });
  }

  call(method, params) {
    return this.browser.call(method, params, this.session);
  }

  async value(expression) {
    const { result, exceptionDetails } = await this.browser.call(
      "Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, this.session);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Polled seldom: each look costs the page something.
  async until(expression, seconds = 120) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      // A page that is being loaded has nothing to ask for a moment.
      if (await this.value(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`after ${seconds} s still not: ${expression}`);
  }

  // Puts a file into the first element that the selector finds, as a person's choice would.
  async choose(selector, file) {
    const { result } = await this.browser.call(
      "Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(selector)})` }, this.session);
    await this.browser.call("DOM.setFileInputFiles", { files: [file], objectId: result.objectId }, this.session);
  }

  async close() {
    await this.browser.call("Target.disposeBrowserContext", { browserContextId: this.context });
  }
}
