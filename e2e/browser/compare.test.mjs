// Two models side by side: the page says what the command line says, whose own test has numpy's figures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { model, openBrowser, openPage, shoot } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const other = model.replace("Q4_1", "F16");
let hub, browser, told;

before(async () => {
  hub = await Hub.start();
  browser = await openBrowser();
  const words = execFileSync(process.env.STUDIO_BIN, ["diff", model, other, "--values", "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  told = JSON.parse(words);
});

after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 400], ["dark", 400]]) {
  test(`${colorScheme}, ${width} pixels: two models side by side`, async () => {
    const { page, context, faults } = await openPage(browser, { origin: hub.origin, width, colorScheme });
    await page.goto(hub.url);
    await page.getByTestId("drop").waitFor();
    await page.getByTestId("file").setInputFiles(model);
    await page.getByTestId("compare-with").click();
    await page.getByTestId("choose-other").waitFor();
    await shoot(page, `compare-empty-${colorScheme}-${width}`);
    await page.getByTestId("file-other").setInputFiles(other);
    await page.getByTestId("pairs").waitFor();

    const verdict = await page.getByTestId("compare-verdict").innerText();
    const types = told.tensors.filter((pair) => pair.kind === "type").length;
    const [equal, differ] = [told.metadata.equal, told.metadata.differing.length];
    assert.equal(verdict, `${differ} of ${equal + differ} metadata entries differ. Of ${told.tensors.length} tensors, ${types} of another type.`);
    const keys = await page.locator("[data-testid=compare-metadata] tbody th").allInnerTexts();
    assert.deepEqual(keys, told.metadata.differing.map((entry) => entry.key));

    // Stopped at once, then from the beginning to the end.
    await page.getByTestId("compare-values").click();
    await page.getByTestId("cancel-values").click();
    await page.getByText(/^Stopped after \d+ tensors/).waitFor();
    await page.getByTestId("compare-values").click();
    const same = told.differences.filter((found) => found.identical).length;
    await page.getByText(`${told.differences.length} tensors compared; ${same} are the same bytes.`).waitFor({ timeout: 120_000 });

    const relative = (found) => found.relative_rmse ?? 0;
    const most = [...told.differences].sort((a, b) => relative(b) - relative(a))[0];
    await page.getByTestId("order-Relative").click();
    const first = page.getByTestId("pair-row").first();
    await first.getByText(most.name, { exact: true }).waitFor();
    const row = await first.innerText();
    assert.ok(row.includes(most.max_abs < 0.001 ? most.max_abs.toExponential(2).replace("e+", "e") : most.max_abs.toFixed(5)), `${most.max_abs} in ${row}`);
    await shoot(page, `compare-${colorScheme}-${width}`);

    await page.getByTestId("only-differing").check();
    const differing = told.tensors.filter((pair) => pair.kind !== "alike" || told.differences.some((found) => found.name === pair.name && !found.identical));
    await page.getByText(`${differing.length} of ${told.tensors.length} tensors`, { exact: true }).waitFor();
    await page.getByTestId("compare-search").fill("blk.7 attn_q");
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=pair-row]").length === 1);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, "no sideways scrolling");
    await page.getByTestId("close-other").click();
    await page.getByTestId("choose-other").waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("a second file that isn't a model says so, and the first stays open", async () => {
  const { page, context } = await openPage(browser, { origin: hub.origin });
  await page.goto(hub.url);
  await page.getByTestId("drop").waitFor();
  await page.getByTestId("file").setInputFiles(model);
  await page.getByTestId("tab-compare").click();
  await page.getByTestId("file-other").setInputFiles({ name: "words.gguf", mimeType: "text/plain", buffer: Buffer.from("no model at all, only words") });
  await page.getByTestId("compare-problem").waitFor();
  assert.match(await page.getByTestId("compare-problem").innerText(), /words\.gguf/);
  await page.getByTestId("tab-overview").click();
  await page.getByTestId("card").waitFor();
  await context.close();
});
