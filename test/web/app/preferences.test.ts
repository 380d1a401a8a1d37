import { describe, expect, test } from "vitest";
import type { PreferencesJson } from "../../../src/core/wire/accounts/preferences.ts";
import { createPreferences } from "../../../src/web/app/preferences.ts";

/** A browser's storage, and an account that saves on demand. */
const browser = (texts: Readonly<Record<string, string>> = {}) => {
  const kept = new Map(Object.entries(texts));
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
  let account: PreferencesJson = {};
  const sent: PreferencesJson[] = [];
  let reached = true;
  const preferences = createPreferences(
    () => shelf,
    async (chosen) => {
      if (!reached) throw new Error("unreachable");
      sent.push(chosen);
      account = { ...account, ...chosen };
      preferences.belongTo({ id: "ada", preferences: account });
    },
  );
  const signIn = (id: string, now: PreferencesJson = {}, looked?: true) => {
    account = now;
    preferences.belongTo({ id, preferences: now, ...(looked && { looked }) });
  };
  return { preferences, kept, sent, signIn, reach: (now: boolean) => (reached = now) };
};

describe("preferences", () => {
  test("of a visitor belong to the browser, and apply to people without their own", () => {
    const { preferences, kept, sent, signIn } = browser({ language: "de" });
    preferences.theme.set("dark");
    preferences.roomy.set(true);
    signIn("ada", { roomy: false });
    expect([preferences.language.get(), preferences.theme.get(), preferences.roomy.get()]).toEqual([
      "de",
      "dark",
      false,
    ]);
    expect(JSON.parse(kept.get("theme") ?? "")).toBe("dark");
    expect(sent).toEqual([]);
  });

  test("are saved with the account, and the browser’s own stay", async () => {
    const { preferences, kept, sent, signIn } = browser({ theme: "light" });
    signIn("ada");
    preferences.theme.set("dark");
    preferences.singleKeys.set(false);
    preferences.screen("/loans").set({ layout: "board" });
    await preferences.saved();
    expect(sent).toEqual([{ theme: "dark", singleKeys: false, "/loans": { layout: "board" } }]);
    expect(kept.get("theme")).toBe("light");
    // The theme is stored before the next page renders.
    expect(kept.get("theme shown")).toBe("dark");
    preferences.belongTo(null);
    expect([preferences.theme.get(), preferences.singleKeys.get()]).toEqual(["light", true]);
    expect(preferences.screen("/loans").get()).toEqual({});
    expect(kept.get("theme shown")).toBe("light");
  });

  test("can be “as the system” over the browser’s choice", async () => {
    const { preferences, sent, signIn } = browser({ theme: "dark" });
    signIn("ada");
    preferences.theme.set(null);
    await preferences.saved();
    expect(sent).toEqual([{ theme: "system" }]);
    expect(preferences.theme.get()).toBe(null);
  });

  test("that change elsewhere apply here, and are not sent again", () => {
    const { preferences, signIn } = browser();
    signIn("ada", { "/loans": { columns: ["item"] } });
    const loans = preferences.screen("/loans");
    let told = 0;
    loans.subscribe(() => told++);
    signIn("ada", { "/loans": { columns: ["item"] }, theme: "dark" });
    expect([told, preferences.theme.get()]).toEqual([0, "dark"]);
    signIn("ada", { "/loans": { columns: ["due"] } });
    expect([told, loans.get(), preferences.theme.get()]).toEqual([1, { columns: ["due"] }, null]);
  });

  test("that could not be saved stay on the page, and are sent with the next", async () => {
    const { preferences, sent, signIn, reach } = browser();
    signIn("ada");
    reach(false);
    preferences.theme.set("dark");
    await preferences.saved();
    signIn("ada");
    expect(preferences.theme.get()).toBe("dark");
    reach(true);
    preferences.roomy.set(true);
    await preferences.saved();
    expect(sent).toEqual([{ theme: "dark", roomy: true }]);
  });

  test("that changed just before a reload apply from the first paint, and are then saved", async () => {
    const before = browser();
    before.signIn("ada");
    before.preferences.theme.set("dark");
    const { preferences, kept, sent, signIn } = browser(Object.fromEntries(before.kept));
    signIn("ada", { theme: "light" });
    expect(preferences.theme.get()).toBe("dark");
    await preferences.saved();
    expect(sent).toEqual([{ theme: "dark" }]);
    expect([...kept.keys()].filter((key) => key.startsWith("chosen"))).toEqual([]);
  });

  test("do not pass to the next person, even if unsaved", async () => {
    const { preferences, sent, signIn, reach } = browser();
    signIn("ada");
    reach(false);
    preferences.theme.set("dark");
    await preferences.saved();
    reach(true);
    signIn("ben");
    expect(preferences.theme.get()).toBe(null);
    await preferences.saved();
    expect(sent).toEqual([]);
  });

  test("last as long as the page while viewing as somebody else", async () => {
    const { preferences, sent, signIn } = browser();
    signIn("bea", { theme: "dark" }, true);
    preferences.theme.set("light");
    await preferences.saved();
    expect([preferences.theme.get(), sent]).toEqual(["light", []]);
  });
});
