import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildManifest } from "../../src/core/derive/client/app-manifest.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { compiled, example } from "../app/program.ts";

const { model } = compiled(readFileSync(example("purchasing"), "utf8"));

/**
 * For each list on an entity's record, as a role sees it: the field by which to add a record whose own reference is
 * derived.
 */
const throughs = (role: string, entity: string): { readonly [list: string]: unknown } => {
  const { screens } = buildManifest(model, { id: "p", granted: new Set([role]) }, getPhrasesFor("en"));
  const sections = screens.flatMap((screen) =>
    screen.kind === "record" && screen.entity === entity ? screen.sections : [],
  );
  return Object.fromEntries(
    sections.flatMap((section) => (section.kind === "list" ? [[section.entity, section.through]] : [])),
  );
};

test("a reference that follows from another is added by that one, for people who can set it", () => {
  // A receipt's request is that of its line; a line and an invoice refer to the request directly.
  expect(throughs("receiver", "PurchaseRequest")).toMatchObject({ Receipt: { field: "line", of: "request" } });
  expect(throughs("receiver", "PurchaseRequest").Line).toBeUndefined();
  expect(throughs("buyer", "PurchaseRequest")).toHaveProperty("Receipt", undefined);
});
