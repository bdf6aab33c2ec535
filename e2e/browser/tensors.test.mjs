// What a tensor's numbers are like: chosen in the table, computed in the worker, shown beside it; the command line says the same.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { model, overflow, shoot, studio } from "./lib/browser.mjs";

const NAME = "blk.7.ffn_down.weight";
const at = studio();

for (const [colorScheme, width] of [["light", 1280], ["dark", 400]]) {
  test(`${colorScheme}, ${width} pixels: a tensor's numbers`, async () => {
    const { page, context, faults } = await at.open({ width, colorScheme });
    await page.getByTestId("drop").waitFor();
    await page.getByTestId("file").setInputFiles(model);
    await page.getByTestId("tab-tensors").click();
    await page.getByTestId("tensor-search").fill(NAME);
    await page.getByRole("button", { name: NAME }).focus();
    await page.keyboard.press("Enter");
    const survey = page.getByTestId("survey");
    await survey.getByTestId("survey-heat").waitFor({ timeout: 20_000 });
    const said = await survey.innerText();

    const told = execFileSync(process.env.STUDIO_BIN, ["inspect", model, "--tensor", NAME, "--json"], { encoding: "utf8" });
    const found = JSON.parse(told);
    // To three places: the fourth of a number that ends in 5 there is rounded either way.
    for (const figure of ["min", "max", "std"]) {
      const digits = String(found[figure]).slice(0, found[figure] < 0 ? 6 : 5);
      assert.ok(said.includes(digits), `${figure} ${digits} is not in:\n${said}`);
    }
    const path = await survey.locator("path").first().getAttribute("d");
    assert.equal(path.split("M").length - 1, found.histogram.counts.filter((count) => count > 0).length, "a bar for each bin");
    await shoot(page, `survey-${colorScheme}-${width}`);
    assert.equal(await overflow(page), 0, "no sideways scrolling");

    await survey.getByTestId("survey-close").click();
    await survey.waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await context.close();
  });
}
