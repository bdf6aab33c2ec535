// StableHLO as programs read it that know no dialect but this one: what a function loads from the parameter archive becomes
// arguments of it, under the names that the loads had, and numbers become tensors without dimensions. Nothing else changes.
export function plain(text) {
  const out = [];
  let head = -1, loads = [];
  const close = () => {
    if (head < 0) return;
    out[head] = out[head].replace(/\(([^)]*)\) -> /, (_, given) => `(${[given, ...loads].filter(Boolean).join(", ")}) -> `);
    [head, loads] = [-1, []];
  };
  for (const line of text.split("\n")) {
    const load = line.match(/^ {4}(%\S+) = util\.global\.load \S+ : (\S+)/);
    const scalar = line.match(/^ {4}(%\S+) = tensor\.from_elements (%\S+) : (\S+)/);
    if (line.startsWith("  util.global ")) continue;
    if (load) {
      loads.push(`${load[1]}: ${load[2]}`);
    } else if (scalar) {
      out[head] = out[head].replace(`${scalar[2]}: i32`, `${scalar[1]}: ${scalar[3]}`);
    } else {
      if (line.startsWith("  func.func ")) {
        close();
        head = out.length;
      }
      out.push(line.replaceAll(" {iree.abi.consume}", ""));
    }
  }
  close();
  return out.join("\n");
}
