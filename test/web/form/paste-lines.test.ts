import { describe, expect, test } from "vitest";
import { MOST_SEARCHED, oneLine, truncatePasted } from "../../../src/web/format/sanitize-line.ts";
import fc from "../../chance.ts";

describe("text pasted into search", () => {
  test("becomes one line: line breaks and tabs become spaces between words", () => {
    expect(oneLine("Cargo bike\r\nLadder\tlong\u2028end")).toBe("Cargo bike Ladder long end");
    expect(oneLine("a\u0000b")).toBe("a b");
  });

  test("keeps letters and marks of all scripts, and drops direction controls", () => {
    expect(oneLine("\u202Eدراجة شحن\u202C")).toBe("دراجة شحن");
    expect(oneLine("می\u200Cخواهم 👩\u200D🔧")).toBe("می\u200Cخواهم 👩\u200D🔧");
    expect(oneLine("half \uD83D of a pair, a whole 😀")).toBe("half  of a pair, a whole 😀".replace("  ", " "));
  });

  test("is cut to the maximum length between whole letters", () => {
    expect(truncatePasted("x".repeat(100_000), MOST_SEARCHED)).toHaveLength(MOST_SEARCHED);
    expect(truncatePasted("😀😀😀", 5)).toBe("😀😀");
    expect(truncatePasted("abc", 0)).toBe("");
  });

  test("is always a valid query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.nat({ max: MOST_SEARCHED }), (text, room) => {
        const kept = truncatePasted(text, room);
        expect(kept.length).toBeLessThanOrEqual(room);
        expect(kept).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(decodeURIComponent(encodeURIComponent(kept))).toBe(kept);
      }),
    );
  });
});
