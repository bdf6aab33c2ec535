// Models of other families than the one that the other tests have: Gemma 3, and an encoder, whose texts become vectors.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { gemma3, minilm, openPage, overflow, shoot, studio } from "./lib/browser.mjs";

const MINUTE = 60_000;
const at = studio();

async function open(file, options = {}) {
  const view = await openPage(at.browser, { origin: at.hub.origin, ...options });
  view.page.setDefaultTimeout(30_000);
  await view.page.goto(at.hub.url);
  await view.page.getByTestId("file").setInputFiles(file);
  await view.page.getByTestId("card").waitFor();
  return view;
}

async function exportAndCompile(page) {
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").waitFor({ timeout: 5 * MINUTE });
  await page.getByTestId("compile").click();
  await page.getByTestId("compile-done").waitFor({ timeout: 5 * MINUTE });
}

const words = (page, id) => page.getByTestId(id).innerText();

test("Gemma 3 is exported, compiled and run with nothing chosen", async () => {
  const { page, context, faults } = await open(gemma3);
  assert.match(await words(page, "forms"), /stablehlo\s+can be exported: kv, redecode/);
  assert.match(await words(page, "forms"), /cpu\s+can be exported: kv, redecode/);
  assert.match(await words(page, "plan-memory"), /^A run takes \d+(\.\d)? MB of memory\.$/);
  await shoot(page, "gemma-card-light");
  await exportAndCompile(page);
  // It is the pretrained model, without a chat template.
  await page.getByTestId("prompt").fill("The capital of France is");
  await page.locator("#max-tokens").fill("24");
  await page.getByTestId("run").click();
  await page.getByText("Stopped at the most tokens asked for.").waitFor({ timeout: 2 * MINUTE });
  assert.match(await words(page, "output"), /the capital/);
  assert.match(await words(page, "timings"), /tok\/s/);
  await shoot(page, "gemma-run-light");
  assert.deepEqual(faults, []);
  await context.close();
});

test("an encoder gives texts' vectors, and says how near they are", async () => {
  const { page, context, faults } = await open(minilm);
  assert.match(await words(page, "forms"), /stablehlo\s+can be exported: embed/);
  // What can't be had isn't offered, and the page says why.
  assert.equal(await page.getByTestId("form-cpu").count(), 0);
  assert.match(await words(page, "form-missing"), /No cpu form of this model: .*no kernels/);
  assert.equal(await page.getByTestId("graph-kv").count(), 0);
  await page.getByTestId("graph-embed").waitFor();
  await page.getByTestId("seq").fill("32");
  await exportAndCompile(page);
  const embed = async (text) => {
    await page.getByTestId("prompt").fill(text);
    await page.getByTestId("run").click();
    await page.locator(".vector .asked", { hasText: text }).waitFor({ timeout: MINUTE });
  };
  await embed("A cat sits on the mat.");
  assert.equal(await words(page, "vector-dimension"), "384");
  assert.equal(await words(page, "vector-norm"), "1.0000");
  await embed("The bank raised its interest rates.");
  await embed("A kitten is sitting on a rug.");
  // The nearest first: the cat, then the bank.
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=cosine]").length === 2);
  const cosines = (await page.getByTestId("cosine").allInnerTexts()).map((text) => Number(text.replace("\u2212", "-")));
  assert.ok(cosines[0] > 0.5 && cosines[1] < 0.2, `${cosines}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("vector-download").click()]);
  const document_ = JSON.parse(fs.readFileSync(await download.path(), "utf8"));
  assert.equal(document_.text, "A kitten is sitting on a rug.");
  assert.equal(document_.embedding.length, 384);
  await shoot(page, "embed-light");
  for (const [width, colorScheme] of [[400, "dark"], [1280, "dark"]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await overflow(page), 0, `no sideways scrolling at ${width}`);
    await shoot(page, `embed-${colorScheme}-${width}`);
  }
  assert.deepEqual(faults, []);
  await context.close();
});
