import { expect, test } from "vitest";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
import { createLive } from "../../../src/web/api/change-feed.ts";

/** A feed that hears what the test says, and what it has told. */
const listen = () => {
  const heard: ((answer: ChangesJson) => void)[] = [];
  const told: (readonly string[] | null)[] = [];
  const asked: (string | null)[] = [];
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const page = document as unknown as Document;
  const feed = createLive(
    (after, signal) =>
      new Promise((resolve, reject) => {
        asked.push(after);
        heard.push(resolve);
        signal.addEventListener("abort", () => {
          heard.splice(heard.indexOf(resolve), 1);
          reject(new Error("stopped"));
        });
      }),
    (entities) => told.push(entities),
    page,
  );
  const hear = async (changed: readonly string[] | null) => {
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    heard.shift()?.({ at: "1", changed } as ChangesJson);
    // It asks again once it has taken note.
    await expect.poll(() => heard.length).toBeGreaterThan(0);
  };
  const turn = (visibilityState: "visible" | "hidden") => {
    document.visibilityState = visibilityState;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  return { feed, told, asked, heard, hear, turn, stop: feed.start() };
};

test("what changes while it is held is told once, when the last one lets go", async () => {
  const { feed, told, hear, stop } = listen();
  await hear(["Task"]);
  expect(told).toEqual([["Task"]]);
  const [release, releaseOther] = [feed.hold(), feed.hold()];
  await hear(["Task"]);
  await hear(["Bill", "Task"]);
  release();
  release();
  expect(told).toHaveLength(1);
  releaseOther();
  expect(told.slice(1)).toEqual([["Task", "Bill"]]);
  expect(feed.counts.get().of).toEqual({ Task: 2, Bill: 1 });
  await hear(null);
  expect(told.at(-1)).toBeNull();
  stop();
});

test("unknown changes that are held stay unknown, and nothing is told of nothing", async () => {
  const { feed, told, hear, stop } = listen();
  feed.hold()();
  expect(told).toEqual([]);
  const release = feed.hold();
  await hear(["Task"]);
  await hear(null);
  release();
  expect(told).toEqual([null]);
  stop();
});

test("a hidden page asks for nothing, and one that is seen again hears what it has missed", async () => {
  const { told, asked, heard, hear, turn, stop } = listen();
  await hear(["Task"]);
  turn("hidden");
  expect(heard).toEqual([]);
  const before = asked.length;
  turn("visible");
  turn("visible");
  expect(asked.slice(before)).toEqual(["1"]);
  await hear(["Bill"]);
  expect(told).toEqual([["Task"], ["Bill"]]);
  turn("hidden");
  stop();
  turn("visible");
  expect(heard).toEqual([]);
});
