// Two machines side by side, each measuring the compiled module and llama.cpp with the same file; what the page shows and
// saves is what the history has, also after a reload.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { inAllLooks, model, studio } from "./lib/browser.mjs";
import { Runner } from "./lib/hub.mjs";

const MINUTE = 60_000;
// A studio whose program has llama.cpp, too.
const program = process.env.STUDIO_EAGER_BIN;
const at = studio();

async function saved(page, testid) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId(testid).click()]);
  return fs.readFileSync(await download.path(), "utf8");
}

test("two runners are compared side by side through a reload, verified, and kept", { skip: !program && "no STUDIO_EAGER_BIN" }, async () => {
  const runners = ["first", "second"].map((name) => Runner.start(at.hub, name, { labels: ["bench"], program }));
  try {
    const { page, context, faults, foreign } = await at.open();
    await page.getByTestId("file").setInputFiles(model);
    // The cpu form's graph for tokens one by one alone: nothing else is measured.
    await page.locator("#graph-redecode").uncheck();
    await page.getByTestId("export").click();
    await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });

    // The hub's own program has no llama.cpp, and the page says so instead of trying.
    await page.getByTestId("no-eager").waitFor();
    assert.ok(await page.getByTestId("compare-engines").isDisabled());
    await page.getByTestId("measure-place").selectOption("each:bench");
    await page.getByTestId("bench-threads").fill("1,x");
    await page.getByTestId("compare-engines").click();
    await page.getByText("Numbers from 1 to 256, as 1,2,4").waitFor();
    await page.getByTestId("bench-threads").fill("1");
    await page.getByTestId("bench-prompt").fill("16");
    await page.getByTestId("bench-gen").fill("8");
    await page.getByTestId("bench-repeat").fill("1");
    await page.getByTestId("compare-engines").click();
    await page.getByTestId("measuring").nth(1).waitFor({ timeout: MINUTE });
    await page.reload();
    await page.getByTestId("measuring").first().waitFor();
    let rows = page.getByTestId("figure-row");
    // Each machine: the module, llama.cpp with fused attention and without.
    await rows.nth(5).waitFor({ timeout: 3 * MINUTE });
    const table = await page.getByTestId("figures").innerText();
    for (const word of ["first", "second", "compiled · cpu", "llama.cpp · flash attention", "×"]) assert.ok(table.includes(word), `${word} in ${table}`);

    const json = JSON.parse(await saved(page, "export-json"));
    assert.equal(json.length, 6);
    const csv = (await saved(page, "export-csv")).trimEnd().split("\r\n");
    assert.equal(csv.length, 7);
    for (const { latency_ms: { p50, p90, p99 } } of json) assert.ok(0 < p50 && p50 <= p90 && p90 <= p99, `${p50} ${p90} ${p99}`);
    assert.match(await page.getByTestId("latency").first().innerText(), /^\d+\.\d, \d+\.\d, \d+\.\d$/);
    const column = csv[0].split(",").indexOf("decode_tps");
    assert.deepEqual(csv.slice(1).map((line) => Number(line.split(",")[column])), json.map((row) => row.decode_tps));
    // What is drawn is in proportion to what was measured.
    const drawn = await page.locator(".bar-row path:first-child").evaluateAll((paths) => paths.map((path) => path.getBBox().width));
    const most = Math.max(...json.map((row) => row.decode_rounds.max));
    json.forEach((row, index) => assert.ok(Math.abs(drawn[index] - (100 * row.decode_tps) / most) < 0.1, `bar ${index}`));
    assert.match(await saved(page, "export-markdown"), /^\| runner \|.*\n\|---.*\n\| first \|/);

    await page.getByTestId("measure-place").selectOption("runner:second");
    await page.getByTestId("verify-positions").fill("8");
    await page.getByTestId("verify").click();
    await page.getByTestId("verdict").waitFor({ timeout: 2 * MINUTE });
    assert.equal(await page.getByTestId("worst-row").count(), 5);
    await inAllLooks(page, "measure");

    // The history has the same, over time and under a link.
    await page.getByTestId("nav-lab").click();
    await page.getByTestId("lab-compare").click();
    const boxes = page.getByTestId("bench-row").getByRole("checkbox");
    rows = page.getByTestId("lab").getByTestId("figure-row");
    await boxes.nth(1).check();
    await boxes.nth(0).check();
    await rows.nth(5).waitFor();
    await page.getByTestId("timeline").locator("svg").waitFor();
    await inAllLooks(page, "lab-compare");
    assert.match(page.url(), /#lab\/compare\/\d+,\d+$/);
    await page.reload();
    await rows.nth(5).waitFor();
    assert.deepEqual([faults, foreign], [[], []]);
    await context.close();
  } finally {
    await Promise.all(runners.map((runner) => runner.kill()));
  }
});

test("a sweep is the hub's: it goes on through a reload, ranks every combination, and is found by its link", async () => {
  const { page, context, faults } = await at.open();
  await page.getByTestId("file").setInputFiles(model);
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
  const bundle = await page.locator(".bundle-title + .hash").innerText();
  await page.getByTestId("bench-threads").fill("1");
  await page.getByTestId("bench-prompt").fill("16");
  await page.getByTestId("bench-gen").fill("4");
  await page.getByTestId("bench-repeat").fill("1");
  await page.getByTestId("sweep").locator("summary").click();
  await page.getByTestId("sweep-stablehlo").uncheck();
  await page.getByTestId("sweep-bf16").uncheck();
  await page.getByTestId("sweep-keep").uncheck();
  await page.getByText("Choose a form and weights that it can have").waitFor();
  await page.getByTestId("sweep-keep").check();
  await page.getByTestId("sweep-contexts").fill("64,9999999");
  assert.ok(await page.getByTestId("sweep-start").isDisabled());
  await page.getByTestId("sweep-contexts").fill("64");
  await page.getByTestId("sweep-chunks").fill("8,16");
  await page.getByText("2 combinations", { exact: true }).waitFor();
  await page.getByTestId("sweep-start").click();
  const link = await page.getByTestId("sweep-link").getAttribute("href");
  await page.reload();
  await page.getByTestId("sweep").locator("summary").click();
  await page.getByTestId("sweep-progress").waitFor();
  await page.getByText("2 of 2", { exact: true }).waitFor({ timeout: 3 * MINUTE });
  const rows = page.getByTestId("sweep-row");
  assert.equal(await rows.count(), 2);
  const cells = await rows.evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
  assert.deepEqual(cells.map((row) => row[1]).sort(), ["cpu, keep, chunk 16, context 64", "cpu, keep, chunk 8, context 64"]);
  assert.ok(Number(cells[0][4]) >= Number(cells[1][4]), `the fastest first: ${JSON.stringify(cells)}`);
  await page.getByTestId("sweep-by").selectOption("Rank by prefill");
  const prefill = await rows.evaluateAll((rows) => rows.map((row) => Number(row.cells[5].innerText)));
  assert.ok(prefill[0] >= prefill[1], `${prefill}`);
  // What was exported by hand is still the page's bundle.
  assert.equal(await page.locator(".bundle-title + .hash").innerText(), bundle);
  await inAllLooks(page, "sweep");
  await page.goto(`${at.hub.origin}/${link}`);
  await page.getByTestId("job").getByTestId("sweep-row").nth(1).waitFor();
  assert.equal(JSON.parse(await page.getByTestId("job-spec").textContent()).spec.combinations.length, 2);
  assert.deepEqual(faults, []);
  await context.close();
});
