import { expect, test } from "vitest";
import { found } from "./documents.ts";

const document = {
  3: "Case:\n  fields: { size: { type: integer, max: most } }",
  5: 'Case:\n  - { rule: "size > least", else: NOT_ENOUGH }',
  6: `roles:
  clerk: granted
  Case: { fan: "size > 3" }
permissions: { Case: { read: [clerk, { role: fan, fields: [size] }], create: [clerk] } }`,
  8: "NOT_ENOUGH: It is too small.\nNOT_FOUND: It is not there.",
  9: "most: 9\nleast: 1\npage_size: 20",
};

test("what is used is not reported, nor what the program uses", () => expect(found(document)).toEqual([]));

test("an error that no rule raises", () =>
  expect(found({ ...document, 8: `${document[8]}\nTOO_LARGE_BY_FAR: It is too large.` })).toEqual([
    "UNUSED_ERROR 8.TOO_LARGE_BY_FAR «TOO_LARGE_BY_FAR»",
  ]));

test("an error that has no entry", () =>
  expect(found({ ...document, 8: "NOT_FOUND: It is not there." })).toEqual(["NO_ERROR_ENTRY  «NOT_ENOUGH»"]));

test("a constant that nothing reads", () =>
  expect(found({ ...document, 9: `${document[9]}\nmots: 8` })).toEqual(["UNUSED_LIMIT 9.mots «mots»"]));

test("a role that nothing uses, held everywhere or on a record", () => {
  const unused = document[6]
    .replace("clerk: granted", "clerk: granted\n  guest: anyone")
    .replace("fan:", "foe: size < 3, fan:");
  expect(found({ ...document, 6: unused })).toEqual([
    "UNUSED_ROLE 6.roles.guest «guest»",
    "UNUSED_ROLE 6.roles.Case.foe «foe»",
  ]);
});

test("a call that nothing makes, and a place that is no field", () => {
  const outgoing = "outgoing: { books: { post: APP_BOOKS }, shelf: { post: APP_SHELF } }";
  const after = "Case: { after: { create: { call: books } } }";
  expect(found({ ...document, 4: after, 7: outgoing })).toEqual(["UNUSED_CALL 7.outgoing.shelf «shelf»"]);
  const at = (code: string, place: string) => ({
    ...document,
    8: `${document[8].replace(`${code}: `, `${code}: { at: ${place}, message: `).replace(/(at: .*)$/mu, "$1 }")}`,
  });
  expect(found(at("NOT_ENOUGH", "size"))).toEqual([]);
  expect(found(at("NOT_ENOUGH", "sise"))).toEqual(["UNKNOWN_NAME  «sise»"]);
  expect(found(at("NOT_FOUND", "size"))).toEqual(["BAD_VALUE 8.NOT_FOUND «size»"]);
});

test("words for one entity or field that no refusal uses", () => {
  const eight = (more: string) => ({ ...document, 8: `${document[8]}\n${more}` });
  expect(found(eight("Case.size.TOO_LARGE: Smaller!\nCase.NOT_FOUND: It is not there."))).toEqual([]);
  expect(found(eight("Case.size.TAKEN: It is taken."))).toEqual(["UNUSED_ERROR 8.Case.size.TAKEN «Case.size.TAKEN»"]);
  expect(found(eight('Case.size.TOO_LARGE: "{name}"'))).toEqual(['BAD_VALUE  «"{name}"»']);
});

test("a document with an error is not checked further, since that would only report the consequences", () =>
  expect(found({ ...document, 5: 'Case:\n  - { rule: "size > lest", else: NOT_ENOUGH }' })).toEqual([
    "UNKNOWN_NAME  «lest»",
  ]));
