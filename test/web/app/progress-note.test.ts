import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Announcement, Toast } from "../../../src/web/app/app-state.ts";
import { createProgressNote } from "../../../src/web/ui/overlay/progress-note.ts";
import { createStore } from "../../../src/web/util/store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a note about how far an act is", () => {
  const begin = () => {
    const toast = createStore<Toast | null>(null);
    const polite = createStore<Announcement | null>(null);
    const show = createProgressNote(toast, polite, (done) => `${done} of 9`);
    const step = (done: number, after = 1_000) => {
      vi.advanceTimersByTime(after);
      show(done);
      return toast.get()?.text;
    };
    return { toast, polite, step };
  };

  test("changes at most once in a second, and is spoken every five seconds", () => {
    const { polite, step } = begin();
    expect([step(1, 700), step(2, 300), step(3, 900), step(4, 100)]).toEqual([undefined, "2 of 9", "2 of 9", "4 of 9"]);
    expect(polite.get()?.text).toBe("2 of 9");
    step(5, 4_000);
    expect(polite.get()?.text).toBe("5 of 9");
  });

  test("answers a press at once, where nothing else does", () => {
    const toast = createStore<Toast | null>(null);
    createProgressNote(toast, createStore<Announcement | null>(null), (done) => `${done} of 9`, true);
    expect(toast.get()).toMatchObject({ text: "0 of 9", isRunning: true });
  });

  test("does not come back once it is closed", () => {
    const { toast, step } = begin();
    step(1);
    toast.set(null);
    expect([step(2), step(3)]).toEqual([undefined, undefined]);
  });

  test("leaves another note with its “Undo”", () => {
    const { toast, step } = begin();
    step(1);
    toast.set({ text: "Loan deleted", at: 0, undo: () => {} });
    expect(step(2)).toBe("Loan deleted");
    toast.set(null);
    expect(step(3)).toBe("3 of 9");
  });
});
