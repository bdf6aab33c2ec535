// Starts the real hub on a port of its own with an empty data folder, and ends it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const binary = process.env.STUDIO_BIN;
if (!binary) throw new Error("STUDIO_BIN is not set: run these tests with `./dev test browser`");

export class Hub {
  static async start({ data = fs.mkdtempSync(path.join(os.tmpdir(), "studio-hub-")), port = 0 } = {}) {
    const hub = new Hub();
    hub.data = data;
    hub.process = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--data", data], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    hub.log = "";
    hub.exited = new Promise((resolve) => hub.process.once("exit", resolve));
    hub.url = await new Promise((resolve, reject) => {
      const read = (bytes) => {
        hub.log += bytes;
        const found = hub.log.match(/http:\/\/\S+token=[0-9a-f]+/);
        if (found) resolve(found[0]);
      };
      hub.process.stdout.on("data", read);
      hub.process.stderr.on("data", read);
      hub.exited.then((code) => reject(new Error(`the hub ended with ${code}:\n${hub.log}`)));
      setTimeout(() => reject(new Error(`the hub printed no URL within 20 s:\n${hub.log}`)), 20_000).unref();
    });
    hub.origin = new URL(hub.url).origin;
    hub.port = Number(new URL(hub.url).port);
    return hub;
  }

  // As a power cut would: nothing is flushed, nobody is told.
  async kill() {
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.exited;
    fs.rmSync(this.data, { recursive: true, force: true });
  }
}

// A machine that works for a hub: a process of its own, as `runner-agent join` is.
export class Runner {
  static start(hub, name, { labels = [], program = binary } = {}) {
    const runner = new Runner();
    runner.data = fs.mkdtempSync(path.join(os.tmpdir(), `studio-runner-${name}-`));
    const more = labels.flatMap((label) => ["--label", label]);
    runner.process = spawn(program, ["join", hub.origin, "--name", name, "--data", runner.data, ...more], {
      stdio: "ignore",
      env: { ...process.env, STUDIO_TOKEN: new URL(hub.url).searchParams.get("token") },
    });
    runner.exited = new Promise((resolve) => runner.process.once("exit", resolve));
    return runner;
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.exited;
    fs.rmSync(this.data, { recursive: true, force: true });
  }
}
