// The export worker: the same wasm as the page, which finds out that it runs in a worker.
import init from "./studio.js";

await init();
