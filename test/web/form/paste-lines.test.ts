import { describe, expect, test } from "vitest";
import { MOST_SEARCHED, oneLine, truncatePasted } from "../../../src/web/format/sanitize-line.ts";
import fc from "../../chance.ts";

describe("what is pasted where one searches", () => {
  test("is one line: lines and tabs are spaces, and words stay apart", () => {
    expect(oneLine("Cargo bike\r\nLadder\tlong\u2028end")).toBe("Cargo bike Ladder long end");
    expect(oneLine("a\u0000b")).toBe("a b");
  });

  test("keeps what people write with, in whatever direction, and nothing that only turns it", () => {
    expect(oneLine("\u202Eدراجة شحن\u202C")).toBe("دراجة شحن");
    expect(oneLine("می\u200Cخواهم 👩\u200D🔧")).toBe("می\u200Cخواهم 👩\u200D🔧");
    expect(oneLine("half \uD83D of a pair, a whole 😀")).toBe("half  of a pair, a whole 😀".replace("  ", " "));
  });

  test("is as much as there is room for, and no half of a letter", () => {
    expect(truncatePasted("x".repeat(100_000), MOST_SEARCHED)).toHaveLength(MOST_SEARCHED);
    expect(truncatePasted("😀😀😀", 5)).toBe("😀😀");
    expect(truncatePasted("abc", 0)).toBe("");
  });

  test("can always be asked for", () => {
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
