// `node bench.mjs ROUNDS` prints three figures, medians: seconds of a bf16 export in the page, bytes of the page's wasm
// memory after it, milliseconds from a file's drop to its card.
import { openBrowser, openPage, model } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const rounds = Number(process.argv[2] ?? 5);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const browser = await openBrowser();
const [seconds, bytes, millis] = [[], [], []];
for (let round = 0; round < rounds; round += 1) {
  // A new hub each time: what one has, it isn't sent again.
  const hub = await Hub.start();
  const { page, context } = await openPage(browser, { origin: hub.origin });
  await page.goto(hub.url);
  await page.getByTestId("drop").waitFor();
  await page.evaluate(() => {
    const input = document.querySelector("[data-testid=file]");
    input.addEventListener("change", () => {
      const start = performance.now();
      const watch = new MutationObserver(() => {
        if (!document.querySelector("[data-testid=card]")) return;
        watch.disconnect();
        requestAnimationFrame(() => { window.cardMillis = performance.now() - start; });
      });
      watch.observe(document.body, { childList: true, subtree: true });
    }, { capture: true });
  });
  await page.getByTestId("file").setInputFiles(model);
  await page.waitForFunction(() => window.cardMillis !== undefined);
  millis.push(await page.evaluate(() => window.cardMillis));
  await page.evaluate(() => {
    window.progressText = "";
    new MutationObserver(() => {
      const shown = document.querySelector("[data-testid=export-progress]");
      if (shown) window.progressText = shown.innerText;
      window.exportEnd ??= document.querySelector("[data-testid=export-done]") ? performance.now() : undefined;
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
    document.querySelector("[data-testid=export]").addEventListener("click", () => { window.exportStart = performance.now(); });
  });
  await page.getByTestId("export").click();
  await page.waitForFunction(() => window.exportEnd !== undefined, null, { timeout: 120_000 });
  seconds.push(await page.evaluate(() => (window.exportEnd - window.exportStart) / 1000));
  const shown = (await page.evaluate(() => window.progressText)).match(/([\d.,]+)\s*(\w+) of memory/);
  const unit = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, KiB: 1024, MiB: 1 << 20 }[shown?.[2]] ?? NaN;
  bytes.push(Number(shown?.[1].replaceAll(",", "")) * unit);
  await context.close();
  await hub.stop();
}
await browser.close();
console.log([median(seconds), median(bytes), median(millis)].join(" "));
