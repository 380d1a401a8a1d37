import { expect, test } from "vitest";
import { buildManifest } from "../../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { findBulkFields } from "../../../src/web/list/bulk/bulk-edit.ts";
import { compiled } from "../../app/program.ts";

const { model } = compiled(`# Shop

## 3. Entities and their fields
\`\`\`yaml
Item:
  fields: { name: text, place: text, price: integer, kind: text }
\`\`\`
`);
const { Item: item } = buildManifest(model, allRoles(model), getPhrasesFor("en")).entities;
if (item === undefined) throw new Error("the shop has items");

const record = (...update: readonly string[]): RecordJson => ({
  id: update.join(),
  version: 1,
  created_at: "2027-01-01T09:00:00.000Z",
  updated_at: "2027-01-01T09:00:00.000Z",
  may: { read: null, update, delete: false, transitions: [] } as never,
});

test("fields that can be changed on most of the selected records are offered first, then in document order", () => {
  const records = [record("name", "place", "kind"), record("kind"), record("place", "kind")];
  expect(findBulkFields(item, records).map(({ name }) => name)).toEqual(["kind", "place", "name"]);
});
