// Both themes, wide and narrow: nothing is cut off, and a keyboard reaches what a mouse does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { model, openPage, overflow, shoot, studio } from "./lib/browser.mjs";

const at = studio();

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 400]) {
    test(`${colorScheme}, ${width} pixels: the empty page and a model's card fit`, async () => {
      const { page, context, faults } = await at.open({ width, colorScheme });
      await page.getByTestId("drop").waitFor();
      await shoot(page, `empty-${colorScheme}-${width}`);
      await page.getByTestId("file").setInputFiles(model);
      await page.getByTestId("card").waitFor();
      await shoot(page, `card-${colorScheme}-${width}`);
      assert.equal(await overflow(page), 0, "no sideways scrolling");
      assert.deepEqual(faults, []);
      await context.close();
    });
  }
}

test("a keyboard alone chooses a file and begins the export", async () => {
  const { page, context } = await openPage(at.browser, { origin: at.hub.origin });
  // Listening makes the browser hand the chooser over; that it does so from now on is what the wait below relies on.
  let choose;
  const chosen = new Promise((resolve) => { choose = resolve; });
  page.on("filechooser", choose);
  await page.goto(at.hub.url);
  await page.getByTestId("drop").waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.dataset.testid ?? "");
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 80; presses += 1) {
      if ((await focused()) === wanted) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab never reaches ${wanted}`);
  };
  await tabTo("choose");
  await page.keyboard.press("Enter");
  await (await chosen).setFiles(model);
  await page.getByTestId("card").waitFor();
  await page.waitForFunction(() => !document.querySelector("[data-testid=export]").disabled);
  await tabTo("export");
  await page.keyboard.press("Enter");
  await page.getByTestId("export-progress").waitFor();
  await context.close();
});
