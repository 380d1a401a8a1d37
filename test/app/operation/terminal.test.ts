import { describe, expect, test } from "vitest";
import { showProgress, showStage } from "../../../src/cli/change/job-progress.ts";
import { findProgram } from "../../../src/cli/program.ts";
import type { JobStep } from "../../../src/postgres/job/job-store.ts";
import { toLogSentence } from "../../../src/server/telemetry/log-sentence.ts";

describe("a hint names the program as it was started", () => {
  test.each([
    ["by npm start in a checkout", "/srv/mei/ninefold/scripts/start.mjs", "npx ninefold"],
    ["by npx in a checkout", "/srv/mei/.npm/_npx/5f/node_modules/.bin/ninefold", "npx ninefold"],
    ["by a script of another package", "/srv/mei/desk/node_modules/.bin/ninefold", "npx ninefold"],
    ["as an installed command", "/usr/local/bin/ninefold", "ninefold"],
    ["by node in the folder of the checkout", "/srv/mei/desk/dist/cli/main.js", "node dist/cli/main.js"],
    ["by node from another folder", "/opt/ninefold/dist/cli/main.js", "node /opt/ninefold/dist/cli/main.js"],
    ["without a script", undefined, "npx ninefold"],
  ])("%s", (_, script, expected) => {
    expect(findProgram(script, "/srv/mei/desk")).toBe(expected);
  });
});

describe("progress", () => {
  const step: JobStep = {
    key: "place",
    phase: "backfill",
    table: "key",
    clause: "3.Key.place",
    says: "",
    done: 0,
    total: 4000,
    cursor: null,
    written: 0,
    state: "waiting",
  };
  const job = (done: number) => ({ state: "running", phase: "backfill", steps: [{ ...step, done }] }) as const;
  const shownOn = (isTTY: boolean, show: (stream: { write: (text: string) => boolean; isTTY: boolean }) => void) => {
    const written: string[] = [];
    show({ isTTY, write: (text) => written.push(text) > 0 });
    return written;
  };
  const publish = (stream: Parameters<typeof showProgress>[0]) => {
    const { show, end } = showProgress(stream);
    for (const done of [1000, 2000, 2000]) show(job(done));
    end();
  };
  const plan = (stream: Parameters<typeof showStage>[0]) => {
    const { show, end } = showStage(stream);
    show("Checking the stored data…");
    end();
  };
  const clear = "\r\u001b[K";

  test("is one line on a terminal, which disappears at the end", () => {
    expect(shownOn(true, publish)).toEqual([
      `${clear}backfill 3.Key.place 1,000 of 4,000 records`,
      `${clear}backfill 3.Key.place 2,000 of 4,000 records`,
      clear,
    ]);
    expect(shownOn(true, plan)).toEqual([`${clear}Checking the stored data…`, clear]);
  });

  test("is a line for each phase elsewhere, and a plan has none", () => {
    expect(shownOn(false, publish)).toEqual(["backfill…\n"]);
    expect(shownOn(false, plan)).toEqual([]);
  });
});

describe("a line of the log on a terminal is a sentence", () => {
  const time = "2026-03-02T08:15:04.120Z";
  test("with its time and simple values, without the rest", () => {
    const line = JSON.stringify({
      level: 40,
      time,
      call: "telephone",
      tries: 5,
      planned: { steps: [] },
      msg: "an outgoing call was given up",
    });
    expect(toLogSentence(line)).toBe("08:15:04 An outgoing call was given up. (call telephone, tries 5)\n");
  });

  test("with the message of an error, and the stack of a fault", () => {
    const err = {
      type: "TypeError",
      message: "x is undefined",
      stack: "TypeError: x is undefined\n    at f (a.js:1:2)",
    };
    expect(toLogSentence(JSON.stringify({ level: 40, time, err, msg: "traces could not be sent" }))).toBe(
      "08:15:04 Traces could not be sent: x is undefined.\n",
    );
    expect(toLogSentence(JSON.stringify({ level: 50, time, reqId: "7f", err, msg: "a request failed" }))).toBe(
      "08:15:04 A request failed: x is undefined. (reference 7f)\n    at f (a.js:1:2)\n",
    );
  });

  test("with the reason of an unavailable service, and without the number of its request", () => {
    const away = { level: 40, time, reqId: "7f", because: "the database is starting", msg: "STORE_AWAY" };
    expect(toLogSentence(JSON.stringify(away))).toBe("08:15:04 STORE_AWAY: the database is starting.\n");
  });

  test("and ends as it was written", () => {
    expect(toLogSentence(JSON.stringify({ level: 50, time, msg: "The database stopped. Restarting it…" }))).toBe(
      "08:15:04 The database stopped. Restarting it…\n",
    );
  });
});
