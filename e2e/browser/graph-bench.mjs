// `node graph-bench.mjs ROUNDS` prints medians: milliseconds from the click on Graph to its first painted frame, then to
// every scope open and painted, then of a frame while it is moved.
import { BareBrowser } from "./lib/bare.mjs";
import { model } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const rounds = Number(process.argv[2] ?? 5);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const by = (name) => `document.querySelector("[data-testid=${name}]")`;

// From a click to the frame after the one in which the canvas was painted: its pixels are on the screen by then.
const timed = (click) => `new Promise((resolve) => {
  const start = performance.now();
  ${by("graph-canvas")}?.removeAttribute("data-painted");
  const look = () => ${by("graph-canvas")}?.hasAttribute("data-painted")
    ? requestAnimationFrame(() => resolve(performance.now() - start))
    : requestAnimationFrame(look);
  ${click}.click();
  look();
})`;

// Moves the whole graph for 120 frames and gives the mean time between two.
const moved = `new Promise((resolve) => {
  const canvas = ${by("graph-canvas")};
  canvas.focus();
  let frames = 0, start = 0;
  const step = (now) => {
    if (frames === 0) start = now;
    if (frames === 120) return resolve((now - start) / 120);
    frames += 1;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: frames % 60 < 30 ? 40 : -40, cancelable: true }));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

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
