// What the page says when something is wrong, and what it keeps.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { model, openPage, shoot, studio } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

const MINUTE = 60_000;
const at = studio();

async function dropped(name, bytes) {
  const view = await openPage(at.browser, { origin: at.hub.origin });
  await view.page.goto(at.hub.url);
  await view.page.getByTestId("drop").waitFor();
  // A real drop event, as a file manager makes it.
  await view.page.evaluate(
    ({ name, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    { name, bytes: [...bytes] },
  );
  return view;
}

async function problemOf(name, bytes) {
  const { page, context } = await dropped(name, bytes);
  const problem = page.getByRole("alert").filter({ visible: true }).first();
  await problem.waitFor();
  const words = await problem.innerText();
  await context.close();
  return words;
}

test("a file that is not a GGUF is refused by its first bytes", async () => {
  assert.match(await problemOf("notes.gguf", Buffer.from("This is a text, not a model. ".repeat(8))), /GGUF/);
});

test("a truncated GGUF is refused with the place where it ends", async () => {
  const head = Buffer.alloc(5000);
  fs.readSync(fs.openSync(model), head, 0, head.length, 0);
  assert.match(await problemOf("cut.gguf", head), /0x[0-9a-f]+|byte/i);
});

test("an unknown architecture still shows its metadata and says what is supported", async () => {
  const text = (words) => {
    const bytes = Buffer.from(words);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    return Buffer.concat([length, bytes]);
  };
  const u32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
  const u64 = (value) => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64LE(BigInt(value)); return bytes; };
  const STRING = 8;
  const file = Buffer.concat([
    Buffer.from("GGUF"), u32(3), u64(0), u64(1), text("general.architecture"), u32(STRING), text("perceptron"), Buffer.alloc(64),
  ]);
  const { page, context } = await dropped("odd.gguf", file);
  await page.getByTestId("unsupported").waitFor();
  const words = await page.getByTestId("obstacle").innerText();
  assert.match(words, /perceptron/);
  assert.match(words, /llama/);
  await page.getByRole("tab", { name: /Metadata/ }).click();
  assert.match(await page.getByTestId("metadata").innerText(), /general\.architecture/);
  await context.close();
});

test("a wrong token is told how to get the right one", async () => {
  const { page, context } = await openPage(at.browser, { origin: at.hub.origin });
  const answer = await page.goto(`${at.hub.origin}/?token=${"0".repeat(64)}`);
  assert.equal(answer.status(), 401);
  assert.match(await page.innerText("body"), /token/i);
  await context.close();
});

test("an upload survives the hub's violent end", async () => {
  const { page, context, faults } = await at.open();
  await page.getByTestId("file").setInputFiles(model);
  await page.locator("#graph-redecode").uncheck();
  await page.getByTestId("weights-f32").check({ force: true });
  await page.getByTestId("export").click();
  await page.waitForFunction(() => /Making and sending model.irpa/.test(document.querySelector("[data-testid=export-progress]")?.innerText ?? ""));
  const received = () => {
    const parts = fs.readdirSync(`${at.hub.data}/uploads`).filter((name) => name.endsWith(".part"));
    return Math.max(0, ...parts.map((name) => fs.statSync(`${at.hub.data}/uploads/${name}`).size));
  };
  for (let tries = 0; tries < 100 && received() === 0; tries += 1) await page.waitForTimeout(100);
  await at.hub.kill();
  const kept = received();
  assert.ok(kept > 0, "something was on the disk when the hub was killed");
  await page.getByTestId("banner").waitFor();
  await shoot(page, "hub-away-light");
  at.hub = await Hub.start({ data: at.hub.data, port: at.hub.port });
  await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
  assert.deepEqual(faults.filter((fault) => !/WebSocket|ERR_CONNECTION/.test(fault)), []);
  await context.close();
});

test("an export is cancelled, and goes on from where it was", async () => {
  const { page, context } = await at.open();
  await page.getByTestId("file").setInputFiles(model);
  await page.locator("#graph-redecode").uncheck();
  await page.getByTestId("weights-f16").check({ force: true });
  await page.getByTestId("export").click();
  await page.waitForFunction(() => /Making and sending model.irpa/.test(document.querySelector("[data-testid=export-progress]")?.innerText ?? ""));
  await page.getByTestId("export-cancel").click();
  await page.getByTestId("export-cancelled").waitFor();
  await page.getByTestId("export").click();
  await page.getByTestId("export-done").waitFor({ timeout: 2 * MINUTE });
  await context.close();
});
