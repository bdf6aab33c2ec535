// What a visitor gets who changes nothing: kernels over the file's own quantised weights, activations as bytes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { model, openBrowser, openPage, shoot } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const MINUTE = 60_000;
let hub, browser, view, page;

before(async () => {
  hub = await Hub.start();
  browser = await openBrowser();
  view = await openPage(browser, { origin: hub.origin });
  page = view.page;
  page.setDefaultTimeout(30_000);
});

after(async () => {
  await browser?.close();
  await hub?.stop();
});

test("a model is exported, compiled and run with nothing chosen", async () => {
  await page.goto(hub.url);
  await page.getByTestId("file").setInputFiles(model);
  await page.getByTestId("card").waitFor();
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
  await page.getByTestId("compile").click();
  await page.getByTestId("compile-done").waitFor({ timeout: 5 * MINUTE });
  await page.getByTestId("prompt").fill("What is gravity?");
  await page.locator("#max-tokens").fill("64");
  await page.getByTestId("run").click();
  await page.getByText("Stopped at the most tokens asked for.").waitFor({ timeout: MINUTE });
  // Its words hang on roundings, which differ between instruction sets; what it speaks of doesn't.
  assert.match(await page.getByTestId("output").innerText(), /[Gg]ravity is/);
  assert.match(await page.getByTestId("timings").innerText(), /tok\/s/);
  await shoot(page, "defaults-light");
  assert.deepEqual(view.faults, []);
});
