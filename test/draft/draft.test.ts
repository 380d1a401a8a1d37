import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { findTable, type SheetGrid, type SheetTable } from "../../src/core/draft/table.ts";
import { draftDocument } from "../../src/core/draft/write-document.ts";
import { findChoices } from "../../src/core/draft/write-step.ts";
import { format } from "../../src/core/format.ts";
import fc, { cases } from "../chance.ts";
import { hardName, hardNames } from "./hard-names.ts";

const grid = (text: string): SheetGrid => text.split("\n").map((line) => line.split("|"));

const table = (name: string, text: string): SheetTable => {
  const found = findTable({ name, source: `${name}.csv`, grid: grid(text) });
  if (found === undefined) throw new Error(`${name} has no table`);
  return found;
};

/** The fields of an entity in the draft, one text for each. */
const fieldsOf = (text: string, entity: string): Readonly<Record<string, string>> => {
  const after = text.split(`\n${entity}:\n`)[1] ?? "";
  const body = after.split(/\n[A-Z`]/u)[0] ?? "";
  return Object.fromEntries([...body.matchAll(/^ {4}(\w+): (.+)$/gmu)].map(([, name = "", type = ""]) => [name, type]));
};

const errorsOf = (text: string) =>
  compile([{ file: "draft.md", text }]).findings.filter(({ severity }) => severity === "error");

describe("a table in a sheet", () => {
  test("leaves out titles, totals, notes and empty rows and columns, and says so", () => {
    const found = table(
      "Stock",
      "Stock 2024|||||\n|||||\nNo|Name|Place||Price|\n1|Drill|Shop||10|\n\n2|Saw|Shop||12|x\nchecked by the keeper|||||\nTotal||||22|",
    );
    expect(found.columns.map(({ header }) => header)).toEqual(["No", "Name", "Place", "Price", "Column F"]);
    expect(found.rowNumbers).toEqual([4, 6]);
    expect(found.remarks).toEqual([
      "Row 1 (“Stock 2024”) is above the header.",
      "Row 7 (“checked by the keeper”) has a single value, like a note.",
      "Row 8 (“Total”) is a total.",
      "Column F has values and no header.",
    ]);
  });

  test("is found between notes of several cells", () => {
    const found = table(
      "Deaths",
      "Lots of people\nat|the|top||of|their sheets\nor|merging||||cells\nName|Job|Age|Kids|Born|Died\nAda|actor|69|yes|1947-01-08|2016-01-10\nBo|coach|64|no|1952-06-14|2016-06-28\nSome\n|also write\n||at the|bottom,||\n|||||too!",
    );
    expect(found.columns.map(({ header }) => header)).toEqual(["Name", "Job", "Age", "Kids", "Born", "Died"]);
    expect(found.rowNumbers).toEqual([5, 6]);
    expect(found.remarks).toHaveLength(7);
  });

  test("has the value of merged cells in each of their rows, unless a row has nothing else", () => {
    const merged = [
      { column: 0, row: 1, lastRow: 2 },
      { column: 0, row: 3, lastRow: 4 },
    ];
    const cells = grid("Kind|Name|Price\nTool|Drill|3\n|Saw|4\nLamp|Spot|5\n||");
    const found = findTable({
      name: "x",
      source: "x.xlsx",
      grid: cells,
      merged,
      withoutResult: [{ column: 2, row: 3 }],
    });
    expect(found?.columns[0]?.values).toEqual(["Tool", "Tool", "Lamp"]);
    expect(found?.remarks).toEqual([
      "Column A has merged cells, such as A2:A3. Each of their rows gets the value.",
      "Column C has formulas without a stored result, such as in C4. These cells are empty.",
    ]);
  });

  test("needs a header and a row", () => {
    for (const text of ["", "|", "Name", '"'])
      expect(findTable({ name: "x", source: "x.csv", grid: grid(text) })).toBeUndefined();
  });
});

describe("a column", () => {
  const draftOf = (header: string, values: readonly string[]): { readonly field: string; readonly text: string } => {
    const filler = values.map((value, index) => `${value}|row ${index}`).join("\n");
    const text = draftDocument("Draft", [table("Things", `${header}|Name\n${filler}`)]);
    const [[, field = ""] = []] = Object.entries(fieldsOf(text, "Thing"));
    return { field, text };
  };
  const seen = (header: string, ...values: readonly string[]) => draftOf(header, values).field;
  const twelve = (...values: readonly string[]) =>
    Array.from({ length: 12 }, (_, at) => values[at % values.length] ?? "");

  test("has the narrowest type that each value fits", () => {
    expect(seen("Count", "1", "20", "-3")).toBe("integer");
    expect(seen("Postcode", "01234", "80331", "10115")).toBe("text");
    expect(seen("Weight", "1.5", "2")).toBe("decimal");
    expect(seen("Share", "12 %", "7.5 %")).toContain('unit: "%"');
    expect(seen("Share", "12 %", "7.5", "80%")).toContain('type: decimal, unit: "%"');
    expect(seen("Cost", "€ 12,50", "30")).toContain("type: money, currency: EUR");
    expect(seen("Cost", "€ 12,50", "$ 30", "3")).toContain("text");
    expect(seen("Cost", "€ 12,50", "3.000,00 €")).toContain("currency: EUR");
    expect(seen("Cost", "12 USD", "$3")).toContain("currency: USD");
    expect(seen("Bought", "2024-02-29", "2023-01-01")).toBe("date");
    expect(seen("Bought", "1996-07-04 00:00:00.000", "1996-07-05 00:00:00")).toBe("date");
    expect(seen("Seen", "2024-02-29T10:00:00Z", "2024-02-29 11:30")).toBe("datetime");
    expect(seen("Bought", "Jan 1 2000", "12 March 2001")).toBe("date");
    expect(seen("Bought", "2024-02-29", "31/01/2024", "4.2.24", "12 March 2001")).toContain("type: date");
    expect(seen("Cost €", "12", "3.50")).toContain("currency: EUR");
    for (const header of ["Cost (EUR)", "Cost in EUR", "Cost [€]"])
      expect(seen(header, "12", "3.50"), header).toContain("currency: EUR");
    expect(seen("Cost (NEW)", "12", "3.50")).not.toContain("money");
    expect(seen("Seen", "2015/01/01 01:00:00", "2015/01/01 02:00:00")).toBe("datetime");
    expect(seen("From", "09:30", "17:05")).toBe("time");
    expect(seen("Paid", "yes", "No", "no")).toContain("type: boolean");
    expect(seen("Site", "https://example.com/a", "http://example.com")).toBe("url");
    expect(seen("Phone", "+49 89 1234", "089/1234-5")).toBe("phone");
    expect(seen("Status", ...twelve("Open", "In progress"))).toContain("values: [open, in_progress]");
    expect(seen("Kind", ...twelve("R&D", "Sales"))).toContain("type: text");
    expect(seen("Country", ...twelve("USA", "France"))).toContain("values: [France, USA]");
    expect(seen("Size", ...twelve("S", "XL"))).toContain("values: [S, XL]");
    expect(seen("Note", "a".repeat(201), "b")).toBe("long text");
  });

  test("is optional if a row has no value, and unique only if its header says that it tells records apart", () => {
    expect(seen("Count", "1", "", "3")).toBe("{ type: integer?, source: empty in 1 of 3 rows }");
    expect(seen("Serial no", "a1", "a2", "a3")).toContain("unique: true");
    expect(seen("City", "Bonn", "Ulm", "Hof")).toBe("text");
    expect(seen("Code", "a1", "a2", "a2")).toBe("text");
    expect(seen("Postal code", "a1", "a2", "a3")).toBe("text");
  });

  test("of numbers some of which have a unit asks about the others", () => {
    const openOf = (header: string, ...values: readonly string[]) =>
      compile([{ file: "draft.md", text: draftOf(header, values).text }]).open.map(({ statement }) => statement);
    expect(openOf("Share", "12 %", "75")).toContain("Whether “75” in “Share” is a percentage is not shown.");
    expect(openOf("Cost", "€ 12,50", "30", "4")).toContain("Whether “30” in “Cost” is an amount in EUR is not shown.");
  });

  test("says in which order dates are written, and asks if the values do not show it", () => {
    expect(seen("Day", "31/01/2024", "01/02/2024")).toContain("the day comes first");
    expect(seen("Day", "01/31/2024", "02/01/2024")).toContain("the month comes first");
    const unclear = draftOf("Day", ["03/04/2024", "05/06/2024"]);
    expect(unclear.field).toBe("date");
    expect(compile([{ file: "draft.md", text: unclear.text }]).open.map(({ statement }) => statement)).toContain(
      "Whether “03/04/2024” in “Day” begins with the day or with the month is not shown.",
    );
    expect(seen("Day", "31/01/2024", "01/31/2024")).toContain("dates in two orders");
  });

  test("is a date if nearly no date has a time, and otherwise a datetime, and asks about the others", () => {
    const days = Array.from({ length: 20 }, (_, day) => `2026-03-${String(day + 10)}`);
    const asked = (...values: readonly string[]) => {
      const { field, text } = draftOf("Day", values);
      return [field, compile([{ file: "draft.md", text }]).open.map(({ statement }) => statement)];
    };
    const question =
      "Whether times such as “2026-04-01T17:30:00” in “Day” matter beside dates without one is not shown.";
    expect(asked(...days, "4.4.26", "2026-04-01T17:30:00")).toEqual([
      "{ type: date, source: the day comes first }",
      expect.arrayContaining([question]),
    ]);
    expect(asked(...days.slice(0, 2), "2026-04-01T17:30:00")).toEqual(["datetime", expect.arrayContaining([question])]);
    expect(seen("Day", "4.4.26", "2026-04-01T17:30:00")).toBe("text");
  });

  test("of choices is read without regard to capitals and joining marks, as an import reads them", () => {
    const status = [...twelve("waiting", "in kiln"), ...twelve("fired", "collected"), "Waiting", "FIRED", "in_kiln"];
    const { field, text } = draftOf("Status", status);
    expect(field).toBe(
      '{ type: choice, values: [waiting, in_kiln, fired, collected], source: "4 different values, 7 spellings such as “Waiting”" }',
    );
    expect([...findChoices(text, "Thing").keys()]).toEqual(["status"]);
    expect(errorsOf(text)).toEqual([]);
    expect(seen("Size", ...twelve("XL", "S"), "xl", "s")).toContain("values: [S, XL]");
    expect(seen("Place", ...twelve("Shop", "Hall"), ...twelve("Shop"), "shop", "HALL")).toContain(
      "values: [hall, shop]",
    );
  });

  test("of states has their order: that of known words, else of the dates, else of the rows", () => {
    const many = (...values: readonly string[]) => [...twelve(...values), ...twelve(...values)];
    expect(seen("Status", ...many("closed", "in kiln", "new"))).toContain("values: [new, in_kiln, closed]");
    expect(seen("Was", ...many("abgelehnt", "offen", "erledigt"))).toContain("values: [offen, erledigt, abgelehnt]");
    expect(seen("Status", ...twelve("watered", "seeded"))).toContain("values: [watered, seeded]");
    expect(seen("Hall", ...twelve("Hall 10", "Hall 2"))).toContain("values: [hall_2, hall_10]");
    const states = ["harvested", "watered", "seeded"];
    const dated = (toDay: (row: number) => number) => {
      const rows = Array.from(
        { length: 30 },
        (_, row) => `${states[Math.floor(row / 10)]}|row ${row}|2026-01-${String(toDay(row)).padStart(2, "0")}`,
      );
      return fieldsOf(draftDocument("Draft", [table("Beds", `Status|Name|Begun\n${rows.join("\n")}`)]), "Bed").status;
    };
    expect(dated((row) => row + 1)).toContain("values: [seeded, watered, harvested]");
    expect(dated((row) => (row % 10) + 1)).toContain("values: [harvested, watered, seeded]");
  });

  test("of names of people is a text, and asks about the people", () => {
    const people = twelve("Ada Moor", "Bo Hill");
    for (const header of ["Gardener", "Reported by", "Owner", "Assignee"]) {
      const { field, text } = draftOf(header, people);
      expect(field).toBe('{ type: text, source: "2 different values" }');
      expect(openOf(text)).toContain(
        `Whether the people in “${header}” sign in, or are a choice of names, is not shown.`,
      );
    }
    expect(seen("Place", ...twelve("New York", "San Juan"))).toContain("type: choice");
    expect(seen("Order", ...twelve("Ada Moor", "Bo Hill"))).toContain("type: choice");
    expect(seen("Owner", ...twelve("Hall", "Shop"))).toContain("type: choice");
  });

  const numbers = Array.from({ length: 20 }, (_, at) => `${at + 1}.5`);
  const openOf = (text: string) => compile([{ file: "draft.md", text }]).open.map(({ statement }) => statement);

  test("of numbers may have a few cells that are none, which are asked about", () => {
    const near = draftOf("Weight (kg)", [...numbers, "1,5 kg"]);
    expect(near.field).toBe(
      '{ type: decimal, title: "Weight (kg)", source: "20 of 21 values are numbers, but not A22: “1,5 kg”" }',
    );
    expect(openOf(near.text)).toContain(
      "“Weight (kg)” has numbers, but A22: “1,5 kg” is none, so the number that is meant there is not shown.",
    );
    expect(seen("Count", ...twelve("1", "2"), "?")).toContain("type: integer, source");
    expect(seen("Cost (EUR)", ...numbers, "free")).toContain("currency: EUR");
    expect(seen("Cost", ...numbers.map((number) => `€ ${number}`), "free")).toContain("currency: EUR");
    const many = draftOf("Count", [...numbers, ...numbers, "a few", "", "none", "lots", "n/a"]);
    expect(many.field).toContain(
      "40 of 44 values are numbers, but not A42: “a few”, A44: “none”, A45: “lots” and 1 more, empty in 1 of 45 rows",
    );
    expect(openOf(many.text)).toContain(
      "“Count” has numbers, but A42: “a few”, A44: “none”, A45: “lots” and 1 more are none, so the numbers that are meant there are not shown.",
    );
  });

  test("is a text if more cells are no number, or if it may have codes", () => {
    expect(seen("Weight", ...numbers, "1 kg", "2 kg", "3 kg")).toBe("text");
    expect(seen("Weight", ...numbers.slice(0, 9), "1 kg")).toBe("text");
    expect(seen("Machine no", ...numbers, "old one")).toContain("text");
    expect(seen("Postcode", ...twelve("80331", "10115"), "SW1A 1AA")).toContain("text");
    for (const code of ["01234", "12a", "A-17", "12345-6789"]) {
      const { field, text } = draftOf("Where", [...numbers, code]);
      expect(field).toBe(`{ type: text, source: "20 of 21 values are numbers, but not A22: “${code}”" }`);
      expect(openOf(text).join()).not.toContain("is meant there");
    }
  });

  test("of numbers with any other cell is drafted without an error", () => {
    const odd = fc.oneof(
      fc.constantFrom("not shown", "is not shown.", "a: b", "# c", "`x`", '"', "1,5 kg", "a\nb"),
      fc.string({ unit: "grapheme", maxLength: 60 }),
    );
    fc.assert(
      fc.property(odd, (value) => {
        const found = findTable({
          name: "x",
          source: "x.csv",
          grid: [["Weight"], ...numbers.map((cell) => [cell]), [value]],
        });
        const drafted = draftDocument("Draft", found === undefined ? [] : [found]);
        expect(errorsOf(drafted), drafted).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("gets a name that the language allows, and its header as its title", () => {
    expect(Object.keys(fieldsOf(draftOf("id", ["1", "2"]).text, "Thing"))).toEqual(["original_id", "name"]);
    expect(seen("Größe (cm)", "1", "2")).toBe('{ type: integer, title: "Größe (cm)" }');
    expect(seen("unitPrice", "1", "2")).toBe("integer");
  });
});

describe("tables", () => {
  const things = table("Things", "Number|Name\nA-1|Drill\nA-2|Saw\nA-3|Cart");
  const people = table("People", "person_id|First name|Last name\n1|Ada|Moor\n2|Bo|Hill");
  const loans = table("Loans", "Loan no|Item|person_id|Count\n7|A-1|1|1\n8|A-3|2|2\n9|A-2|1|1\n10|A-1||2");
  const text = draftDocument("Lending", [things, people, loans]);

  test("refer to each other by values that are keys, if the header or the values leave no doubt", () => {
    expect(fieldsOf(text, "Loan")).toEqual({
      loan_no: "{ type: integer, unique: true, source: no two of 4 rows share it }",
      item: '{ type: Thing, source: "each value is a “Number” of Things.csv" }',
      person: '{ type: Person?, source: "each value is a “person_id” of People.csv, empty in 1 of 4 rows" }',
      // Each count is also the number of a person, but its header does not say so.
      count: "integer",
    });
    expect(fieldsOf(text, "Thing")).toHaveProperty("loans", "{ list: Loan.item }");
  });

  test("refer to each other also if a few values are no key, which is asked about", () => {
    const numbers = Array.from({ length: 12 }, (_, at) => `HB-${at + 1}`);
    const bikes = table("Fleet", `Bike no.|Make\n${numbers.map((number) => `${number}|Trek`).join("\n")}`);
    const repairs = (...others: readonly string[]) =>
      draftDocument("Hire", [
        bikes,
        table("Repairs", `Bike|Cost\n${[...numbers, ...others].map((number, at) => `${number}|${at}`).join("\n")}`),
      ]);
    const near = repairs("HB-99");
    expect(fieldsOf(near, "Repair").bike).toBe(
      '{ type: Fleet, source: "12 of 13 values are a “Bike no.” of Fleet.csv" }',
    );
    expect(compile([{ file: "draft.md", text: near }]).open.map(({ statement }) => statement)).toContain(
      "No “Bike no.” of Fleet.csv is “HB-99”, so the record that “Bike” means there is not shown.",
    );
    expect(fieldsOf(repairs("HB-99", "HB-100"), "Repair").bike).toBe("text");
    const mostlyNumbers = Array.from({ length: 12 }, (_, at) => `${at + 1}`).concat("the old one");
    const numbered = draftDocument("Hire", [
      table("Bikes", `Bike no.|Make\n${mostlyNumbers.map((number) => `${number}|Trek`).join("\n")}`),
      table("Repairs", `Bike|Cost\n${mostlyNumbers.map((number, at) => `${number}|${at}`).join("\n")}`),
    ]);
    expect(fieldsOf(numbered, "Repair").bike).toBe('{ type: Bike, source: "each value is a “Bike no.” of Bikes.csv" }');
    expect(numbered).not.toContain("is none");
  });

  test("become lists with labels, and nothing that they do not show", () => {
    const { model, open } = compile([{ file: "draft.md", text }]);
    expect(errorsOf(text)).toEqual([]);
    expect(text).toContain('label: "{first_name} {last_name}"');
    expect(text).toContain(
      'Person:\n  source: "People.csv, 2 rows"\n  basis: observed\n  title: { one: person, many: people }\n  path: people\n',
    );
    // Rows are imported in the order of the sheet.
    expect(text.match(/^ {2}sort: \[created_at\]$/gmu)).toHaveLength(3);
    expect(text).toContain("/loans:\n  list: Loan\n");
    expect(model?.roles.size).toBe(0);
    expect(new Set(open.map(({ point }) => point))).toEqual(new Set([1, 4, 5, 6, 7, 8, 9]));
  });

  test("have different addresses, also if their plurals are alike", () => {
    const sheets = ["Axe", "Ax", "Species", "Specie"].map((name) => table(name, "Name|Age\nAda|3\nBo|4"));
    expect(errorsOf(draftDocument("x", sheets))).toEqual([]);
  });

  test("of a name that Ninefold has get another one", () => {
    expect(draftDocument("x", [table("users", "Name|Age\nAda|3\nBo|4")])).toContain("\nUserRecord:\n");
  });
});

test("any cells become a document without an error, which is formatted already", () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "",
      "1",
      "2024-01-31",
      "03/04/2024",
      "yes",
      "€ 3",
      "id",
      "User",
      "a: b",
      "# c",
      "{x}",
      "`",
      "null",
      "not shown",
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 6 }),
  );
  const sheet = fc.record({ name: cell, grid: fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 12 }) });
  fc.assert(
    fc.property(fc.array(sheet, { minLength: 1, maxLength: 3 }), cell, (sheets, title) => {
      const tables = sheets.flatMap((sheet, at) => findTable({ ...sheet, source: `${at}.csv` }) ?? []);
      fc.pre(tables.length > 0);
      const drafted = draftDocument(title === "" ? "Draft" : title, tables);
      expect(errorsOf(drafted), drafted).toEqual([]);
      const once = format([{ file: "draft.md", text: drafted }]);
      expect(once.findings).toEqual([]);
      expect(errorsOf(once.sources[0]?.text ?? "")).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** Two sheets of these names, the second of which refers to the first. */
const draftNamed = (names: readonly string[], columns: readonly string[], values: readonly string[]): string => {
  const [first = "", second = ""] = names;
  const [key = "", more = "", own = ""] = columns;
  const rows = Array.from({ length: 12 }, (_, at) => at);
  const grids: readonly SheetGrid[] = [
    [[key, more], ...rows.map((at) => [`A-${at}`, values[at % values.length] ?? ""])],
    [[key, own, more], ...rows.map((at) => [`A-${at % 5}`, String(at), values[at % values.length] ?? ""])],
  ];
  return draftDocument(
    names.join(" "),
    grids.flatMap((cells, at) => {
      const name = [first, second][at] ?? "";
      return findTable({ name, source: `${name}.csv`, grid: cells }) ?? [];
    }),
  );
};

test.each(["Assets", "asset", "ASSETS", "User", "users", "api", "sign-in", "workbench"])(
  "a file called %s becomes a document without an error",
  (name) => {
    expect(errorsOf(draftNamed([name, "Loans"], ["No", "Name", "Count"], ["Drill", "Saw"]))).toEqual([]);
  },
);

test("any names of files, sheets, columns and values become a document without an error", () => {
  const two = fc.tuple(hardName, hardName);
  fc.assert(
    fc.property(two, fc.tuple(hardName, hardName, hardName), two, (names, columns, values) => {
      const text = draftNamed(names, columns, values);
      expect(errorsOf(text), text).toEqual([]);
    }),
    { numRuns: cases(120, 2_000) },
  );
});

test("each of these names alone becomes a document without an error", () => {
  for (const name of hardNames) {
    const text = draftNamed([name, name], [name, name, name], [name, "other"]);
    expect(errorsOf(text), text).toEqual([]);
  }
});
