// How the explorer is timed: expressions for a page.
export const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
export const by = (name) => `document.querySelector("[data-testid=${name}]")`;

// From a click to the frame after the one in which the canvas was painted: its pixels are on the screen by then.
export const timed = (click) => `new Promise((resolve) => {
  const start = performance.now();
  ${by("graph-canvas")}?.removeAttribute("data-painted");
  const look = () => ${by("graph-canvas")}?.hasAttribute("data-painted")
    ? requestAnimationFrame(() => resolve(performance.now() - start))
    : requestAnimationFrame(look);
  ${click}.click();
  look();
})`;

// The same from a file's being given, which is yet to happen, in `window.openedMillis`.
export const opened = `${by("file")}.addEventListener("change", () => {
  const start = performance.now();
  const look = () => ${by("graph-canvas")}?.hasAttribute("data-painted")
    ? requestAnimationFrame(() => { window.openedMillis = performance.now() - start; })
    : requestAnimationFrame(look);
  look();
}, { capture: true })`;

// Moves the whole graph for 120 frames and gives the mean time between two.
export const moved = `new Promise((resolve) => {
  const canvas = ${by("graph-canvas")};
  canvas.focus();
  let frames = 0, start = 0;
  const step = (now) => {
    if (frames === 0) start = now;
    if (frames === 120) return resolve((now - start) / 120);
    frames += 1;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: frames % 60 < 30 ? 40 : -40, cancelable: true }));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
