// When a page has shown what it was asked for: the frame after the last time that it painted on a canvas, by WebGL or in
// two dimensions, or changed its SVG. What the browser's own threads do after that frame isn't counted.
const watch = `(() => {
  let painted = 0;
  const pixels = (window.pixels = { last: undefined });
  const note = () => {
    const count = (painted += 1);
    // Two frames: the first one's callbacks run before it is painted.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (count === painted) pixels.last = performance.now();
    }));
  };
  const wrap = (type, names) => {
    for (const name of names) {
      const plain = type?.prototype[name];
      if (plain) type.prototype[name] = function (...given) {
        note();
        return plain.apply(this, given);
      };
    }
  };
  for (const type of [window.WebGLRenderingContext, window.WebGL2RenderingContext])
    wrap(type, ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]);
  wrap(window.CanvasRenderingContext2D, ["stroke", "fillText"]);
  // Netron makes its SVG out of sight and shows it by a class of the body.
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target instanceof SVGElement || target === document.body)) note();
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
})()`;

// Makes pages that are opened in this one note when they paint.
export async function watchPixels(page, url) {
  await page.call("Page.enable");
  await page.call("Page.addScriptToEvaluateOnNewDocument", { source: watch });
  await page.call("Page.navigate", { url });
}

// Milliseconds from `act` to the last pixels, after which `quiet` milliseconds passed without any and
// `done`, an expression, holds.
export async function pixelsAfter(page, act, done, quiet = 3000) {
  const start = await page.value("(window.pixels.last = undefined, performance.now())");
  await act();
  const still = `window.pixels.last !== undefined && performance.now() - window.pixels.last > ${quiet}`;
  await page.until(`${still} && ${done}`, 300);
  return (await page.value("window.pixels.last")) - start;
}
