import { describe, expect, test } from "vitest";
import { readPastedAddresses } from "../../../src/web/people/pasted-addresses.ts";

describe("a pasted list of addresses", () => {
  test.each([
    ["ada@example.com", [["Ada", "ada@example.com"]]],
    ["ada.lovelace@example.com", [["Ada Lovelace", "ada.lovelace@example.com"]]],
    ["Ada Lovelace <ada@example.com>", [["Ada Lovelace", "ada@example.com"]]],
    [
      '"Lovelace, Ada" <ada@example.com>, ben@example.com',
      [
        ["Lovelace, Ada", "ada@example.com"],
        ["Ben", "ben@example.com"],
      ],
    ],
    [
      "Ada Lovelace\tada@example.com\nBen\tben@example.com\n",
      [
        ["Ada Lovelace", "ada@example.com"],
        ["Ben", "ben@example.com"],
      ],
    ],
    [
      "ada@example.com; ADA@example.com;\r\n ben@example.com",
      [
        ["Ada", "ada@example.com"],
        ["Ben", "ben@example.com"],
      ],
    ],
    [
      "Ada Lovelace ada@example.com\nBen, ben@example.com\nHopper\tGrace\tgrace@example.com",
      [
        ["Ada Lovelace", "ada@example.com"],
        ["Ben", "ben@example.com"],
        ["Hopper Grace", "grace@example.com"],
      ],
    ],
    [
      "Lovelace, Ada <ada@example.com>; Hopper, Grace <grace@example.com>",
      [
        ["Lovelace, Ada", "ada@example.com"],
        ["Hopper, Grace", "grace@example.com"],
      ],
    ],
    ["", []],
    [" \n,; ", []],
  ] as const)("%j has these people", (text, people) => {
    const read = readPastedAddresses(text);
    expect(read.people.map(({ name, email }) => [name, email])).toEqual(people);
    expect(read.unread).toEqual([]);
  });

  test("lists separately what is no address", () => {
    const { people, unread } = readPastedAddresses("ada@example.com, somebody, Ben <ben>, a@b");
    expect(people.map(({ email }) => email)).toEqual(["ada@example.com"]);
    expect(unread).toEqual(["somebody", "Ben <ben>", "a@b"]);
    expect(readPastedAddresses("ada@example.com, somebody\none, two, three, ben@example.com").unread).toEqual([
      "somebody",
      "one",
      "two",
      "three",
      "ben@example.com",
    ]);
  });
});
