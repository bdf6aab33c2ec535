// `node graph-bench.mjs ROUNDS` prints medians: milliseconds from the click on Graph to its first painted frame, then to
// every scope open and painted, then of a frame while it is moved.
import { BareBrowser } from "./lib/bare.mjs";
import { model } from "./lib/browser.mjs";
import { by, median, moved, timed } from "./lib/graph-timing.mjs";
import { Hub } from "./lib/hub.mjs";

const rounds = Number(process.argv[2] ?? 5);
const browser = await BareBrowser.start();
const hub = await Hub.start();
const [first, all, frame] = [[], [], []];
for (let round = 0; round < rounds; round += 1) {
  const page = await browser.open(hub.url);
  await page.until(by("file") + " !== null");
  await page.choose("[data-testid=file]", model);
  await page.until(by("card") + " !== null");
  first.push(await page.value(timed(by("tab-graph"))));
  all.push(await page.value(timed(by("graph-open-all"))));
  frame.push(await page.value(moved));
  await page.close();
}
await browser.stop();
await hub.stop();
console.log([median(first), median(all), median(frame)].join(" "));
