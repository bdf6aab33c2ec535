// What a visitor gets who changes nothing: kernels over the file's own quantised weights, activations as bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { model, shoot, studio } from "./lib/browser.mjs";

const MINUTE = 60_000;
const at = studio();
let view, page;

test("a model is exported, compiled and run with nothing chosen", async () => {
  view = await at.open();
  page = view.page;
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
