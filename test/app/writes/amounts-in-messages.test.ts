import { expect, test } from "vitest";
import { serveText } from "../program.ts";

test("a constant that a rule compares with money is an amount in its message, and other numbers are not", async () => {
  const served = await serveText(`# Orders

## 1. Purpose
\`\`\`yaml
locale: en-GB
currency: EUR
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order:
  fields: { price: money, pieces: integer, part: { type: money, default: 0 } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Order:
  - { rule: price <= most, else: TOO_DEAR }
  - { rule: part * 100 / most_share <= price, else: PART_TOO_LARGE }
  - { rule: pieces <= most_pieces, else: TOO_MANY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: signed in }
permissions: { Order: { read: [clerk], create: [clerk] } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_DEAR: "{price} is more than {most}."
PART_TOO_LARGE: "A part can be {most_share} per cent of {price}."
TOO_MANY: "{pieces} is more than {most_pieces}."
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
most: 2500
most_share: 30
most_pieces: 1500
\`\`\`
`);
  const clerk = await served.person("Ada");
  const messages = async (order: object) =>
    (await clerk.post("/api/orders", order)).problem().errors?.map(({ message }) => message);
  expect(await messages({ price: "3000", pieces: 1 })).toEqual(["€3,000.00 is more than €2,500.00."]);
  expect(await messages({ price: "100", pieces: 1, part: "40" })).toEqual(["A part can be 30 per cent of €100.00."]);
  expect(await messages({ price: "100", pieces: 2000 })).toEqual(["2000 is more than 1500."]);
});
