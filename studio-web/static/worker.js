// The export worker: the same wasm as the page, which finds out that it runs in a worker. The page hands over what it
// compiled, for compiling that again would take as long as reading a model.
import init from "./studio.js";

const { data: compiled } = await new Promise((resolve) => addEventListener("message", resolve, { once: true }));
await init({ module_or_path: compiled });
