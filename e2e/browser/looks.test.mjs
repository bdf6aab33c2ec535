// Both themes, wide and narrow: nothing is cut off, and a keyboard reaches what a mouse does.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { model, openBrowser, openPage, shoot } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

let hub, browser;

before(async () => {
  hub = await Hub.start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await hub?.stop();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 400]) {
    test(`${colorScheme}, ${width} pixels: the empty page and a model's card fit`, async () => {
      const { page, context, faults } = await openPage(browser, { origin: hub.origin, width, colorScheme });
      await page.goto(hub.url);
      await page.getByTestId("drop").waitFor();
      await shoot(page, `empty-${colorScheme}-${width}`);
      await page.getByTestId("file").setInputFiles(model);
      await page.getByTestId("card").waitFor();
      await shoot(page, `card-${colorScheme}-${width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, "no sideways scrolling");
      assert.deepEqual(faults, []);
      await context.close();
    });
  }
}

test("a keyboard alone chooses a file and begins the export", async () => {
  const { page, context } = await openPage(browser, { origin: hub.origin });
  // Listening makes the browser hand the chooser over; that it does so from now on is what the wait below relies on.
  let choose;
  const chosen = new Promise((resolve) => { choose = resolve; });
  page.on("filechooser", choose);
  await page.goto(hub.url);
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
