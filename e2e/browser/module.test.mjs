// A compiled module in the page: dropped, read, searched; a damaged one told.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, shoot, temporaryFolder } from "./lib/browser.mjs";
import { Hub } from "./lib/hub.mjs";

let hub, browser, folder, module;

const text = `module @two {
  func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
    return %2 : tensor<4x16xf32>
  }
}
`;

before(async () => {
  hub = await Hub.start();
  browser = await openBrowser();
  folder = temporaryFolder();
  module = path.join(folder, "two.vmfb");
  fs.writeFileSync(path.join(folder, "two.mlir"), text);
  const compiler = path.join(process.env.STUDIO_CACHE, "iree-3.13.0/iree/compiler/_mlir_libs/iree-compile");
  execFileSync(compiler, [
    path.join(folder, "two.mlir"), "-o", module, "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic",
  ], { stdio: "pipe" });
});

after(async () => {
  await browser?.close();
  await hub?.stop();
  fs.rmSync(folder, { recursive: true });
});

for (const [colorScheme, width] of [["light", 1280], ["dark", 400]]) {
  test(`${colorScheme}, ${width} pixels: what is in a dropped module`, async () => {
    const { page, faults, context } = await openPage(browser, { origin: hub.origin, colorScheme, width });
    await page.goto(hub.url);
    await page.getByTestId("file").setInputFiles(module);
    const exports = await page.getByTestId("module-exports").innerText();
    assert.match(exports, /main\s+sync func @main\(%input0: tensor<4x8xf32>, %input1: tensor<8x16xf32>\)/);
    const rows = () => page.getByTestId("dispatches").locator("tbody tr").allInnerTexts();
    assert.equal((await rows()).length, 3);
    assert.match((await rows())[0], /main_dispatch_0_matmul_4x16x8_f32[\s\S]*3 buffers[\s\S]*function 0 × 1/);
    await page.getByTestId("dispatch-search").fill("16x16x4");
    assert.match(await page.getByTestId("dispatch-count").innerText(), /1 of 3/);
    await shoot(page, `module-${colorScheme}-${width}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, "no sideways scrolling");
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("a damaged module is told where", async () => {
  const { page, context } = await openPage(browser, { origin: hub.origin });
  await page.goto(hub.url);
  const bytes = fs.readFileSync(module);
  bytes[bytes.length >> 1] ^= 1;
  const damaged = path.join(folder, "damaged.vmfb");
  fs.writeFileSync(damaged, bytes);
  await page.getByTestId("file").setInputFiles(damaged);
  assert.match(await page.getByTestId("module-problem").innerText(), /Damaged at byte \d+: .* has another checksum/);
  await page.getByTestId("close-module").click();
  await page.getByTestId("drop").waitFor();
  await context.close();
});
