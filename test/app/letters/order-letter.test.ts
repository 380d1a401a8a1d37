import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { example, serveText } from "../program.ts";

test("the order letter of purchasing is signed by the person who ordered, whoever reads it", async () => {
  const story = readFileSync(example("purchasing").replace(/\.md$/u, ".story.yaml"), "utf8");
  const desk = await serveText(readFileSync(example("purchasing"), "utf8"), { demonstration: true, story });
  const [buyer, finance] = [await desk.signInAs("buyer"), await desk.signInAs("finance")];
  const [order] = (await finance.get("/api/requests?status=ordered")).list().items;
  const by = order?.ordered_by as { readonly label: string } | undefined;
  for (const reader of [buyer, finance]) {
    const letter = await reader.get(`/_/letters/${order?.id}?screen=${encodeURIComponent("/requests/{id}/order")}`);
    expect(letter.text).toContain(`"lines":["Kind regards","${by?.label}"]`);
  }
});
