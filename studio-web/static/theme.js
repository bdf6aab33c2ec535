// Shows the chosen theme before anything is painted; page/store.rs keeps the choice.
try {
  document.documentElement.dataset.theme = localStorage.getItem("lowering-studio.theme") ?? "system";
} catch {
  // Storage is switched off: the system's theme it is.
}
