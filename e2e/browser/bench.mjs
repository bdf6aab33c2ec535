// `node bench.mjs ROUNDS` prints four figures, medians: seconds of a bf16 export in the page, bytes of the page's wasm
// memory after it, milliseconds from a file's drop to its card in a page that is at rest, and in one that has only just
// appeared, whose worker is still being started.
import { BareBrowser } from "./lib/bare.mjs";
import { model } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const rounds = Number(process.argv[2] ?? 5);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const by = (name) => `document.querySelector("[data-testid=${name}]")`;

const watchCard = `${by("file")}.addEventListener("change", () => {
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (!${by("card")}) return;
    watch.disconnect();
    requestAnimationFrame(() => { window.cardMillis = performance.now() - start; });
  });
  watch.observe(document.body, { childList: true, subtree: true });
}, { capture: true })`;

const watchExport = `window.progressText = "";
new MutationObserver(() => {
  window.progressText = ${by("export-progress")}?.innerText ?? window.progressText;
  window.exportEnd ??= ${by("export-done")} ? performance.now() : undefined;
}).observe(document.body, { childList: true, subtree: true, characterData: true });
${by("export")}.addEventListener("click", () => { window.exportStart = performance.now(); });`;

const browser = await BareBrowser.start();
const [seconds, bytes, millis, early] = [[], [], [], []];

// A page with the model in it, and how long its card took.
async function dropped(hub, restMs) {
  const page = await browser.open(hub.url);
  await page.until(by("file") + " !== null");
  await new Promise((resolve) => setTimeout(resolve, restMs));
  await page.value(watchCard);
  await page.choose("[data-testid=file]", model);
  await page.until("window.cardMillis !== undefined");
  return [page, await page.value("window.cardMillis")];
}

for (let round = 0; round < rounds; round += 1) {
  // A new hub each time: what one has, it isn't sent again.
  const hub = await Hub.start();
  const [first, soon] = await dropped(hub, 0);
  early.push(soon);
  await first.close();
  const [page, card] = await dropped(hub, 1_000);
  millis.push(card);
  await page.until(`${by("export")} !== null && !${by("export")}.disabled`);
  await page.value(`${by("form-stablehlo")}.click()`);
  await page.until(`${by("weights-bf16")}.checked && !${by("export")}.disabled`);
  await page.value(watchExport);
  await page.value(`${by("export")}.click()`);
  await page.until("window.exportEnd !== undefined");
  seconds.push(await page.value("(window.exportEnd - window.exportStart) / 1000"));
  const shown = (await page.value("window.progressText")).match(/([\d.,]+)\s*(\w+) of memory/);
  const unit = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, KiB: 1024, MiB: 1 << 20 }[shown?.[2]] ?? NaN;
  bytes.push(Number(shown?.[1].replaceAll(",", "")) * unit);
  await page.close();
  await hub.stop();
}
await browser.stop();
console.log([median(seconds), median(bytes), median(millis), median(early)].join(" "));
