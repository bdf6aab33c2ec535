// A graphics processor in the page: named, compiled for, checked against the processor, run. Apart from the other tests,
// for it wants a Vulkan driver: `xtask test vulkan` brings lavapipe.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { model, openBrowser, openPage, overflow, shoot } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const MINUTE = 60_000;

let hub, browser, page, faults;

before(async () => {
  hub = await Hub.start();
  browser = await openBrowser();
  ({ page, faults } = await openPage(browser, { origin: hub.origin }));
  await page.goto(hub.url);
  await page.getByTestId("file").setInputFiles(model);
});

after(async () => {
  await browser?.close();
  await hub?.stop();
});

const number = async (id, value) => page.locator(`#${id}`).fill(String(value));

test("a bundle of kernels is no bundle for a graphics processor, and the page says what is", async () => {
  await page.getByTestId("context").waitFor();
  await number("context", 64);
  await number("chunk", 8);
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
  const targets = page.getByTestId("compile-target");
  const options = await targets.locator("option").allInnerTexts();
  assert.match(options[0], /^host: /);
  assert.ok(options.some((words) => /^vulkan: llvmpipe/.test(words)), options.join("\n"));
  await targets.selectOption("vulkan");
  assert.match(await page.getByTestId("target-obstacle").innerText(), /kernels are for processors.*portable form.*f32/);
  await shoot(page, "vulkan-obstacle-light");
});

test("the portable form runs there, and the first run says that it was checked", async () => {
  await page.getByTestId("form-stablehlo").check({ force: true });
  await page.getByTestId("weights-f32").check({ force: true });
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").getByText("541").waitFor({ timeout: 2 * MINUTE });
  assert.equal(await page.getByTestId("target-obstacle").count(), 0);
  await page.getByTestId("compile").click();
  await page.getByTestId("compile-done").waitFor({ timeout: 3 * MINUTE });
  await page.getByTestId("prompt").fill("What is the capital of France?");
  await number("max-tokens", 4);
  await page.getByTestId("run").click();
  await page.getByText("Stopped at the most tokens asked for.").waitFor({ timeout: 5 * MINUTE });
  assert.match(await page.getByTestId("output").innerText(), /The capital of France/);
  assert.match(await page.getByTestId("device-check").innerText(), /^llvmpipe.* agrees with the processor at 7 positions: scores within/);
  assert.equal(await page.getByTestId("threads-used").innerText(), "GPU");
  await shoot(page, "vulkan-run-light");
  await page.setViewportSize({ width: 400, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await overflow(page), 0, "no sideways scrolling");
  await shoot(page, "vulkan-run-dark-400");
  assert.deepEqual(faults, []);
});
