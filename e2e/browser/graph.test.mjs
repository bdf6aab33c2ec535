// The graph of the real model: opened before any export, walked through, searched, linked to, saved.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { model, openPage, overflow, shoot, studio, temporaryFolder } from "./lib/browser.mjs";

const at = studio();

async function open(options = {}, hash = "") {
  const view = await openPage(at.browser, { origin: at.hub.origin, ...options });
  const { page } = view;
  page.setDefaultTimeout(30_000);
  await page.goto(at.hub.url + hash);
  await page.getByTestId("file").setInputFiles(model);
  if (!hash) {
    await page.getByTestId("card").waitFor();
    await page.getByTestId("tab-graph").click();
  }
  await page.locator("[data-testid=graph-canvas][data-painted]").waitFor();
  return view;
}

// The boxes that are drawn, as the list beside the canvas has them.
async function boxes(page) {
  const list = page.getByTestId("graph-list");
  if (!(await list.isVisible().catch(() => false))) await page.getByTestId("graph-outline").click();
  return (await list.locator("li").allInnerTexts()).map((text) => text.trim());
}

test("thirty equal layers are one box, and it opens", async () => {
  const { page, faults, context } = await open();
  const closed = await boxes(page);
  assert.ok(closed.some((box) => box.startsWith("layer 0 … 29, × 30, 2460 ops")), closed.join("\n"));
  assert.ok(closed.length < 20, `${closed.length} boxes`);
  await page.getByTestId("graph-list").getByRole("button", { name: /^layer 0 … 29/ }).click();
  await page.getByTestId("graph-toggle").click();
  const opened = await boxes(page);
  for (const box of ["attention_norm", "attention", "mlp_norm", "mlp"]) {
    assert.ok(opened.some((words) => words.startsWith(`${box},`)), `${box} is drawn:\n${opened.join("\n")}`);
  }
  await shoot(page, "graph-layer-light");
  assert.deepEqual(faults, []);
  await context.close();
});

test("search goes to a weight of any layer, and the panel says what it is", async () => {
  const { page, context } = await open();
  await page.getByTestId("graph-search").fill("blk.17.attn_k.weight");
  await page.getByTestId("graph-match").first().waitFor();
  await page.getByTestId("graph-search").press("Enter");
  const panel = await page.getByTestId("graph-panel").innerText();
  for (const fact of ["parameter", "blk.17.attn_k.weight", "Q4_1", "layer 17", "k_proj"]) {
    assert.ok(panel.includes(fact), `the panel says ${fact}:\n${panel}`);
  }
  assert.match(await page.evaluate(() => location.hash), /^#graph=decode\/layer%2017\/attention\/k_proj\//);
  await context.close();
});

test("a link leads to its place when the model is there", async () => {
  const { page, context } = await open({}, "#graph=prefill/layer%204/mlp/down_proj");
  await page.getByTestId("graph-panel").getByRole("heading", { name: "down_proj" }).waitFor();
  assert.equal(await page.getByTestId("graph-function").inputValue(), "0");
  assert.ok((await boxes(page)).some((box) => box.startsWith("layer 4, one of 30 that are equal")));
  await context.close();
});

test("a link that leads nowhere says so, one for which there is no model yet waits for it", async () => {
  const { page, context } = await open({}, "#graph=decode/layer%2099/mlp");
  assert.equal(await page.getByTestId("graph-lost").innerText(), "This graph has no decode/layer 99/mlp");
  await page.evaluate(() => { location.hash = "#graph=decode/layer%203/mlp"; });
  await page.getByTestId("graph-panel").getByRole("heading", { name: "mlp" }).waitFor();
  assert.equal(await page.getByTestId("graph-lost").innerText(), "");
  await page.reload();
  assert.match(await page.getByTestId("awaited").innerText(), /leads to decode\/layer 3\/mlp in a model’s graph\. Drop the model/);
  await page.evaluate(() => { location.hash = "#model/tokens"; });
  await page.getByText("leads to a model’s tokens").waitFor();
  await page.evaluate(() => { location.hash = "#model"; });
  assert.equal(await page.getByTestId("awaited").innerText(), "");
  await context.close();
});

test("the wheel scrolls the page, and with Ctrl zooms the graph and not the page", async () => {
  const { page, context } = await open();
  await page.getByTestId("graph-canvas").scrollIntoViewIfNeeded();
  const box = await page.getByTestId("graph-canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 60);
  await page.waitForTimeout(300);
  const state = () => page.evaluate(() => ({
    picture: document.querySelector("[data-testid=graph-canvas]").toDataURL(),
    page: [scrollY, devicePixelRatio, visualViewport.scale],
  }));
  const before = await state();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  await page.waitForTimeout(300);
  const zoomed = await state();
  assert.notEqual(zoomed.picture, before.picture);
  assert.deepEqual(zoomed.page, before.page);
  await page.mouse.wheel(0, -120);
  await page.waitForTimeout(300);
  const scrolled = await state();
  assert.equal(scrolled.picture, zoomed.picture);
  assert.ok(scrolled.page[0] < before.page[0], `${scrolled.page} after ${before.page}`);
  await context.close();
});

test("keys walk along edges, open and close", async () => {
  const { page, context } = await open();
  await page.getByTestId("graph-canvas").focus();
  const says = () => page.getByTestId("graph-says").innerText();
  await page.keyboard.press("ArrowDown");
  assert.match(await says(), /^token, /);
  await page.keyboard.press("ArrowDown");
  assert.match(await says(), /^embedding, /);
  await page.keyboard.press("ArrowDown");
  assert.match(await says(), /^layer 0 … 29, .*closed/);
  await page.keyboard.press("Enter");
  assert.match(await says(), /^layer 0, .*open/);
  await page.keyboard.press("ArrowDown");
  assert.match(await says(), /^attention_norm, /);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "graph-search");
  await context.close();
});

test("the picture is saved as SVG, and colours have a legend", async () => {
  const { page, context } = await open();
  await page.getByTestId("graph-colors").selectOption("bytes");
  assert.match(await page.getByTestId("graph-legend").innerText(), /66\.5 MB/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("graph-svg").click()]);
  const folder = temporaryFolder();
  const file = path.join(folder, "graph.svg");
  await download.saveAs(file);
  const svg = fs.readFileSync(file, "utf8");
  assert.ok(svg.startsWith("<svg") && svg.includes("layer 0 … 29") && svg.includes("× 30"));
  for (const words of ["Parameter bytes", "0 B", "66.5 MB"]) assert.ok(svg.includes(`>${words}</text>`), words);
  fs.rmSync(folder, { recursive: true });
  await context.close();
});

test("a text of StableHLO is shown, and a broken one is told where", async () => {
  const { page, context } = await at.open();
  const folder = temporaryFolder();
  const text = path.join(folder, "tiny.mlir");
  fs.copyFileSync(path.join(import.meta.dirname, "../../studio-core/tests/out/tied-kv-f16.mlir"), text);
  await page.getByTestId("file").setInputFiles(text);
  await page.locator("[data-testid=graph-canvas][data-painted]").waitFor();
  assert.ok((await boxes(page)).some((box) => box.startsWith("layer 0 … 1, × 2")));
  await page.getByTestId("close-text").click();
  fs.writeFileSync(text, "func.func @f() {\n  %a = b.c %d : i32\n  return\n}\n");
  await page.getByTestId("file").setInputFiles(text);
  const problem = await page.getByTestId("graph-problem").innerText();
  assert.match(problem, /Line 2, column 12: %d is not defined before it is used/);
  fs.rmSync(folder, { recursive: true });
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 400]) {
    test(`${colorScheme}, ${width} pixels: the graph fits`, async () => {
      const { page, context, faults } = await open({ width, colorScheme }, "#graph=decode/layer%200/attention/q_proj");
      await page.waitForTimeout(500);
      await shoot(page, `graph-${colorScheme}-${width}`);
      assert.equal(await overflow(page), 0, "no sideways scrolling");
      assert.deepEqual(faults, []);
      await context.close();
    });
  }
}
