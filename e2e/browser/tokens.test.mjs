// The tokenizer bench: ids are llama.cpp's, kept beside the tokenizer's own tests; so are a conversation's text and ids.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { model, openPage, overflow, shoot, studio, temporaryFolder } from "./lib/browser.mjs";

const fixture = (name) => JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../../studio-core/tests", name), "utf8"));
const at = studio();

async function openBench({ width = 1280, colorScheme = "light", file = model } = {}) {
  const opened = await openPage(at.browser, { origin: at.hub.origin, width, colorScheme });
  const { page } = opened;
  await page.goto(at.hub.url);
  await page.getByTestId("drop").waitFor();
  await page.getByTestId("file").setInputFiles(file);
  await page.getByTestId("tab-tokens").click();
  return opened;
}

// The ids in the page's table.
async function ids(page) {
  if (!(await page.getByTestId("token-table").isVisible().catch(() => false))) await page.getByTestId("token-table-open").click();
  await page.getByTestId("token-table").waitFor();
  const cells = await page.locator("[data-testid=token-table] tbody tr td:nth-child(2)").allInnerTexts();
  return cells.map(Number);
}

async function hasTokens(page, count) {
  await page.waitForFunction(
    (wanted) => document.querySelector("[data-testid=count-tokens]")?.innerText.replace(/\D/g, "") === String(wanted), count);
}

test("a text's tokens are llama.cpp's, control tokens among them", async () => {
  const { page, context, faults } = await openBench();
  await page.getByTestId("add-special").check();
  const texts = fixture("tokenizer/corpus.json");
  const expected = fixture("tokenizer/smollm-special.json");
  // What a person can type into a field: it has no carriage returns and no NUL.
  const typed = texts.map((text, at) => [text, expected[at]]).filter(([text, tokens]) => !/[\r\0]/.test(text) && tokens.length > 12);
  const some = typed.filter((_, at) => at % Math.ceil(typed.length / 10) === 0);
  const special = typed.find(([, tokens]) => tokens.some((id) => id < 17));
  assert.ok(some.length >= 5 && special, "the corpus has such texts");
  for (const [text, tokens] of [...some, special]) {
    await page.locator(".bench-form textarea").fill(text);
    await hasTokens(page, tokens.length);
    assert.deepEqual(await ids(page), tokens, JSON.stringify(text));
  }
  assert.ok((await page.locator(".token.special").count()) > 0, "control tokens look different");
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 400], ["dark", 400]]) {
  test(`${colorScheme}, ${width} pixels: a conversation in the model's template, and a keyboard goes through its tokens`, async () => {
    const { page, context, faults } = await openBench({ width, colorScheme });
    await page.getByTestId("tokens").waitFor();
    await shoot(page, `tokens-text-${colorScheme}-${width}`);
    await page.getByTestId("bench-conversation").check();
    // The second conversation, whose two turns are a system's and a user's; with the answer begun its text comes second.
    const [conversation, text, tokens] = [fixture("chat/conversations.json")[1], fixture("chat/smollm2.json")[3], fixture("chat/smollm2-tokens.json")[3]];
    for (const [at, turn] of conversation.entries()) await page.locator(".turn textarea").nth(at).fill(turn.content);
    await hasTokens(page, tokens.length);
    assert.deepEqual(await ids(page), tokens);
    await page.getByText("The rendered template").click();
    assert.equal(await page.getByTestId("rendered").textContent(), text);

    await page.getByTestId("tokens").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.getByTestId("token-details").innerText(), new RegExp(`^Token 2: id ${tokens[1]}, text, "system", 6 bytes`));
    await shoot(page, `tokens-chat-${colorScheme}-${width}`);
    await page.getByTestId("bench-answer").uncheck();
    await hasTokens(page, fixture("chat/smollm2-tokens.json")[2].length);
    await page.getByTestId("add-turn").click();
    assert.equal(await page.locator(".turn").count(), 3);
    assert.equal(await overflow(page), 0, "no sideways scrolling");
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("a long text is counted as the command line counts it, and its tokens come by the page", async () => {
  const { page, context, faults } = await openBench();
  const text = fixture("tokenizer/corpus.json").filter((part) => !/[\r\0]/.test(part)).join(" ").repeat(3);
  const file = path.join(temporaryFolder(), "text");
  fs.writeFileSync(file, text);
  const told = execFileSync(process.env.STUDIO_BIN, ["tokens", model, "--file", file, "--special=parse", "--json"], { encoding: "utf8", maxBuffer: 1 << 30 });
  const found = JSON.parse(told);
  assert.ok(found.ids.length > 20_000, `${found.ids.length} tokens are many`);
  await page.locator(".bench-form textarea").fill(text);
  await hasTokens(page, found.ids.length);
  assert.deepEqual(await ids(page), found.ids.slice(0, 2000));
  await page.getByTestId("tokens-after").click();
  await page.getByText(/^Tokens 2.001 to 4.000 of/).waitFor();
  assert.deepEqual(await ids(page), found.ids.slice(2000, 4000));
  assert.deepEqual(faults, []);
  await context.close();
});

test("a tokenizer that isn't known says so", async () => {
  const file = path.join(temporaryFolder(), "abacus.gguf");
  fs.writeFileSync(file, header({ "general.architecture": "llama", "tokenizer.ggml.model": "abacus", "tokenizer.ggml.tokens": ["a", "b"] }));
  const { page, context, faults } = await openBench({ file });
  const problem = page.getByTestId("tokens-problem");
  await problem.waitFor();
  assert.match(await problem.innerText(), /`abacus` is not supported; supported are: gpt2, llama, bert/);
  assert.deepEqual(faults, []);
  await context.close();
});

// A GGUF without tensors: texts and lists of texts by their keys.
function header(entries) {
  const number = (value, bytes) => {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value));
    else buffer.writeUInt32LE(value);
    return buffer;
  };
  const text = (value) => [number(Buffer.byteLength(value), 8), Buffer.from(value)];
  const value = (of) => Array.isArray(of)
    ? [number(9, 4), number(8, 4), number(of.length, 8), ...of.flatMap(text)]
    : [number(8, 4), ...text(of)];
  const list = Object.entries(entries).flatMap(([key, of]) => [...text(key), ...value(of)]);
  return Buffer.concat([Buffer.from("GGUF"), number(3, 4), number(0, 8), number(Object.keys(entries).length, 8), ...list]);
}
