// `node peers-bench.mjs ROUNDS MODEL.mlir PEERS` opens a text of StableHLO in this page, in Netron and in Model Explorer,
// one after the other in each round, and prints a line for each: its name and the median milliseconds from being given
// the file to the last pixels. PEERS is the folder with the peers' programs.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { BareBrowser } from "./lib/bare.mjs";
import { Hub } from "./lib/hub.mjs";
import { plain } from "./lib/plain.mjs";
import { pixelsAfter, watchPixels } from "./lib/pixels.mjs";

const [rounds, source, programs] = [Number(process.argv[2]), process.argv[3], process.argv[4]];
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const work = fs.mkdtempSync(path.join(os.tmpdir(), "studio-peers-"));
const file = path.join(work, "model.mlir");
fs.writeFileSync(file, plain(fs.readFileSync(source, "utf8")));

const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// A server of a peer's; it is there when it answers.
async function serve(program, args) {
  const port = await freePort();
  const child = spawn(path.join(programs, program), [...args, "--port", String(port)], {
    stdio: "ignore",
    // It asks whether there is a newer one of it; this is no time to.
    env: { ...process.env, HTTPS_PROXY: "http://127.0.0.1:9" },
  });
  const url = `http://127.0.0.1:${port}/`;
  for (let tries = 0; tries < 600; tries += 1) {
    if (await fetch(url).then((answer) => answer.ok, () => false)) return { url, stop: () => child.kill() };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${program} does not answer`);
}

const hub = await Hub.start();
const netron = await serve("netron", ["--host", "127.0.0.1"]);
const explorer = await serve("model-explorer", ["--host", "127.0.0.1", "--no_open_in_browser", "--skip_health_check"]);
const tools = {
  studio: {
    url: hub.url,
    ready: `document.querySelector("[data-testid=file]") !== null`,
    act: (page) => page.choose("[data-testid=file]", file),
    done: `document.querySelector("[data-testid=graph-canvas][data-painted]") !== null`,
  },
  netron: {
    url: netron.url,
    ready: `document.body.classList.contains("welcome") && !document.body.classList.contains("spinner")`,
    // It asks for consent first.
    before: (page) => page.value(`document.querySelector("#message-button")?.click()`),
    act: (page) => page.choose("#open-file-dialog", file),
    done: `document.body.classList.contains("default")`,
  },
  "model-explorer": {
    url: explorer.url,
    ready: `document.querySelector("input.upload-input") !== null`,
    // The file's way to its server isn't counted: it begins when somebody wants to see it.
    before: async (page) => {
      await page.choose("input.upload-input", file);
      await page.until(`document.querySelector(".btn-view-models") !== null`);
    },
    act: (page) => page.value(`document.querySelector(".btn-view-models").click()`),
    done: "true",
  },
};

const browser = await BareBrowser.start();
const figures = Object.fromEntries(Object.keys(tools).map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, { url, ready, before, act, done }] of Object.entries(tools)) {
    const page = await browser.open("about:blank");
    await watchPixels(page, url);
    await page.until(ready);
    await before?.(page);
    figures[name].push(await pixelsAfter(page, () => act(page), done));
    await page.close();
  }
}
for (const [name, list] of Object.entries(figures)) {
  console.log(name, median(list));
}
await browser.stop();
await hub.stop();
netron.stop();
explorer.stop();
fs.rmSync(work, { recursive: true });
process.exit(0);
