import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildManifest } from "../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { compiled, example } from "../app/program.ts";

/** The begin of each end of an entity. */
const begins = (text: string, entity: string): { readonly [end: string]: unknown } => {
  const { model } = compiled(text);
  const { entities } = buildManifest(model, allRoles(model), getPhrasesFor("en"));
  return Object.fromEntries(
    (entities[entity]?.fields ?? []).flatMap(({ name, begin }) => (begin === undefined ? [] : [[name, begin]])),
  );
};

const read = (name: string): string => readFileSync(example(name), "utf8");

test("the ends of periods and their begins follow from calendars, overlaps and rules", () => {
  expect(begins(read("leave-desk"), "Request")).toEqual({ last_day: { field: "first_day", period: true } });
  expect(begins(read("leave-desk"), "Deputy")).toEqual({ last_day: { field: "first_day", period: true } });
  expect(begins(read("booking"), "Booking")).toEqual({ ends: { field: "begins", period: true } });
  // Ordered and expected: in this order, but no period.
  expect(begins(read("purchasing"), "PurchaseRequest")).toEqual({ expected_on: { field: "ordered_on" } });
});

test("a rule keeps two dates in order if it compares them, also beside other conditions and missing values", () => {
  const trip = (rule: string) =>
    begins(
      `# Trips

## 3. Entities and their fields
\`\`\`yaml
Trip: { label: "{name}", fields: { name: text, out: date, back: date?, asked: datetime } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Trip: [{ rule: "${rule}", else: WRONG }]
\`\`\`

## 8. Error catalogue
\`\`\`yaml
WRONG: { message: Wrong. }
\`\`\`
`,
      "Trip",
    );
  const ordered = { back: { field: "out" } };
  expect(trip("back == null || out <= back")).toEqual(ordered);
  expect(trip("back == null || back > out")).toEqual(ordered);
  expect(trip("size(name) > 2 && (back == null || out < back)")).toEqual(ordered);
  // Either condition is enough, so neither says an order.
  expect(trip("size(name) > 2 || out < out + 1 day")).toEqual({});
  expect(trip("back == null || back < out + 30 days")).toEqual({});
  expect(trip("back == null || size(name) > 2 || out <= back")).toEqual({});
});
