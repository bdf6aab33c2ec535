// `node graph-large.mjs OPERATIONS ROUNDS` makes a text of that many operations in a hundred scopes, no two of them equal,
// and prints medians: milliseconds from the file's being given to its graph's first pixels, then to every scope open and
// painted, then of a frame while all of it is moved.
import fs from "node:fs";
import path from "node:path";
import { BareBrowser } from "./lib/bare.mjs";
import { temporaryFolder } from "./lib/browser.mjs";
import { by, median, moved, opened, timed } from "./lib/graph-timing.mjs";
import { Hub } from "./lib/hub.mjs";

const [operations, rounds] = [Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 3)];
const SCOPES = 100;

function text() {
  const binary = ["add", "multiply", "subtract", "maximum"];
  const unary = ["tanh", "negate", "exponential", "abs"];
  const lines = ["module @large {", "  func.func public @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {"];
  let state = 1;
  const random = (most) => (state = (state * 48271) % 2147483647) % most;
  for (let index = 0; index < operations; index += 1) {
    const at = (back) => (index - back < 0 ? "%x" : `%v${index - back}`);
    const scope = `layer ${Math.floor((index * SCOPES) / operations)} / part ${random(8)}`;
    const operands = random(2) ? [at(1), at(1 + random(12))] : [at(1)];
    const op = (operands.length === 2 ? binary : unary)[random(4)];
    lines.push(`    %v${index} = stablehlo.${op} ${operands.join(", ")} : tensor<64x64xf32> loc("${scope}")`);
  }
  return [...lines, `    return %v${operations - 1} : tensor<64x64xf32>`, "  }", "}", ""].join("\n");
}

const folder = temporaryFolder();
const file = path.join(folder, "large.mlir");
fs.writeFileSync(file, text());
const browser = await BareBrowser.start();
const hub = await Hub.start();
const [first, all, frame] = [[], [], []];
for (let round = 0; round < rounds; round += 1) {
  const page = await browser.open(hub.url);
  await page.until(`${by("file")} !== null`);
  await page.value(opened);
  await page.choose("[data-testid=file]", file);
  await page.until("window.openedMillis !== undefined");
  first.push(await page.value("window.openedMillis"));
  all.push(await page.value(timed(by("graph-open-all"))));
  await page.value(`${by("graph-fit")}.click()`);
  frame.push(await page.value(moved));
  await page.close();
}
await browser.stop();
await hub.stop();
fs.rmSync(folder, { recursive: true });
console.log([median(first), median(all), median(frame)].join(" "));
