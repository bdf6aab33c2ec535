// Loads the page's wasm; says so in words where that fails.
import init from "./studio.js";

document.getElementById("panic-reload").addEventListener("click", () => location.reload());
init().catch((error) => {
  // A panic of the program has filled the panel already and says more than the trap that follows it.
  const text = document.getElementById("panic-text");
  text.textContent ||= String(error);
  document.getElementById("boot")?.remove();
  document.getElementById("panic").hidden = false;
});
