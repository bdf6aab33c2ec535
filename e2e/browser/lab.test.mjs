// The lab: machines come, are labelled and go; a job asked of several is followed in the history, also by a page that is
// reloaded while it runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inAllLooks, model, studio } from "./lib/browser.mjs";
import { Runner } from "./lib/hub.mjs";

const MINUTE = 60_000;
const at = studio();

test("runners come, are labelled, and go, while the page looks on", async () => {
  const { page, context, faults } = await at.open();
  await page.getByTestId("nav-lab").click();
  await page.getByTestId("runners-empty").waitFor();
  const command = page.getByTestId("join-command");
  const token = new URL(at.hub.url).searchParams.get("token");
  assert.ok(!(await command.innerText()).includes(token), "the token is hidden until it is asked for");
  await page.getByTestId("join-show").click();
  assert.equal(await command.innerText(), `STUDIO_TOKEN=${token} runner-agent join ${at.hub.origin}`);
  await page.getByTestId("join-show").click();

  const runner = Runner.start(at.hub, "pi", { labels: ["arm"] });
  const card = page.getByTestId("runner-pi");
  await card.getByText("idle", { exact: true }).waitFor();
  assert.equal(await card.getByTestId("labels").innerText(), "arm");
  await card.getByTestId("labels-edit").click();
  await card.getByTestId("labels-input").fill("shelf no/label");
  await card.getByTestId("labels-save").click();
  await card.getByText("can’t be a label").waitFor();
  await card.getByTestId("labels-input").fill("shelf, two");
  await card.getByTestId("labels-save").click();
  await card.getByText("two", { exact: true }).waitFor();
  await inAllLooks(page, "lab-runners");

  const gone = card.getByText("gone", { exact: true });
  const killed = Date.now();
  await runner.kill();
  await gone.waitFor();
  assert.ok(Date.now() - killed < 1000, `${Date.now() - killed} ms until it was seen to be gone`);
  await card.getByTestId("remove").click();
  await card.getByTestId("remove-keep").click();
  await card.getByTestId("remove").click();
  await card.getByTestId("remove-sure").click();
  await card.waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("a job asked of all is followed through a reload, found again, and repeated", async () => {
  const runner = Runner.start(at.hub, "second");
  try {
    const { page, context, faults } = await at.open();
    await page.getByTestId("file").setInputFiles(model);
    await page.getByTestId("export").click();
    await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
    await page.getByTestId("compile-place").selectOption("all");
    await page.locator("#compile details.more > summary").click();
    await page.getByTestId("compile-priority").selectOption({ label: "before others" });
    await page.getByTestId("compile-limit").selectOption({ label: "2 h" });
    await page.getByTestId("compile").click();
    await page.getByTestId("siblings-compile").waitFor();
    await page.reload();
    await page.getByTestId("siblings-compile").getByRole("link").click();
    await page.getByTestId("job").waitFor();
    const spec = await page.getByTestId("job-spec").textContent();
    assert.equal(JSON.parse(spec).spec.kind, "compile");
    assert.deepEqual([JSON.parse(spec).priority, JSON.parse(spec).time_limit_s], [10, 7200]);
    await page.getByTestId("job-result").waitFor({ timeout: 5 * MINUTE });
    const facts = await page.getByTestId("job-facts").innerText();
    assert.match(facts, /second/);
    assert.match(facts, /Priority\s+10\s+Time limit\s+2 h 0 min/);
    assert.match(facts, /iree-compile 3\.13\.0/);
    await inAllLooks(page, "lab-job");

    await page.getByTestId("lab-jobs").click();
    const rows = page.getByTestId("job-row");
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByTestId("jobs-runner").selectOption("second");
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=job-row]").length === 1);
    await page.getByTestId("jobs-search").fill("no such thing");
    await page.getByTestId("jobs-empty").waitFor();
    await page.getByTestId("jobs-search").fill("SMOLLM");
    await rows.first().waitFor();
    await inAllLooks(page, "lab-jobs");

    // The same again finds what was compiled.
    await rows.first().getByRole("link").click();
    const before = page.url();
    await page.getByTestId("job-rerun").click();
    await page.waitForFunction((before) => location.href !== before, before);
    await page.getByTestId("job-result").waitFor({ timeout: MINUTE });
    assert.match(await page.getByTestId("job-result").innerText(), /found compiled before|B in/);
    // Back from the lab to a step, and to another machine than the one that compiled.
    await page.getByTestId("nav-run").click();
    await page.getByTestId("run-place").selectOption("runner:second");
    await page.getByTestId("prompt").fill("What is gravity?");
    await page.locator("#max-tokens").fill("8");
    await page.getByTestId("run").click();
    await page.getByText("Stopped at the most tokens asked for.").waitFor({ timeout: MINUTE });
    await page.goto(`${at.hub.origin}/#lab/jobs`);
    await page.getByTestId("job-row").first().waitFor();
    const ran = await page.getByTestId("job-row").first().innerText();
    assert.match(ran, /run[^]*second[^]*ran[^]*8 tokens/);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await runner.kill();
  }
});
