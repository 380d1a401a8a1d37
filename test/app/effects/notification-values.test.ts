import { expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { type ApiClient, serveText } from "../program.ts";

/* The values of a notification in words, in the language of its reader. */

const text = `# Bookings

## 1. What it does
\`\`\`yaml
locale: en-GB
timezone: Europe/Berlin
translations:
  de:
    "{number}: {user.name} is away from {first} to {last}.": "{number}: {user.name} fehlt vom {first} bis {last}."
    "Booked from {begins} to {ends}.": "Gebucht vom {begins} bis {ends}."
    "{name}, insured: {insured}, {price}, {length}": "{name}, versichert: {insured}, {price}, {length}"
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Booking:
  label: "{name} {insured}"
  fields:
    number: { type: sequence, pattern: "B-{n}" }
    name: text
    first: date
    last: date
    begins: datetime
    ends: datetime
    insured: boolean
    price: { type: money, currency: EUR }
    length: duration
\`\`\`

## 4. States and transitions
\`\`\`yaml
Booking:
  after:
    create:
      - { notify: user, text: "{number}: {user.name} is away from {first} to {last}." }
      - { notify: user, text: "Booked from {begins} to {ends}." }
      - { notify: user, text: "{name}, insured: {insured}, {price}, {length}" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in }
permissions:
  User: { read: [member] }
  Booking: { read: [member], create: [member] }
\`\`\`
`;

const booking = {
  name: "Van",
  first: "2026-12-11",
  last: "2026-12-11",
  begins: "2026-12-11T09:00:00Z",
  ends: "2026-12-11T10:30:00Z",
  insured: true,
  price: { amount: "1250.5", currency: "EUR" },
  length: "P1M14D",
};

const news = async (who: ApiClient, language: string) =>
  ((await who.get("/_/notifications", { "accept-language": language })).body as NotificationsJson).items
    .map((item) => item.text.replaceAll(/[\u00a0\u202f]/gu, " "))
    .reverse();

test("a period within one day names the day once, in the document's language and in a translation", async () => {
  const served = await serveText(text);
  const ada = await served.person("Ada");
  const { id } = (await ada.post("/api/bookings", booking)).record();
  const next = { last: "2026-12-14", ends: "2026-12-12T10:30:00Z", insured: false };
  await ada.post("/api/bookings", { ...booking, ...next });
  expect(await news(ada, "en")).toEqual([
    "B-1: Ada is away on 11 Dec 2026.",
    "Booked from 11 Dec 2026, 10:00 to 11:30.",
    "Van, insured: Yes, €1,250.50, 1 month, 14 days",
    "B-2: Ada is away from 11 Dec 2026 to 14 Dec 2026.",
    "Booked from 11 Dec 2026, 10:00 to 12 Dec 2026, 11:30.",
    "Van, insured: No, €1,250.50, 1 month, 14 days",
  ]);
  expect(await news(ada, "de")).toEqual([
    "B-1: Ada fehlt am 11. Dez. 2026.",
    "Gebucht vom 11. Dez. 2026, 10:00 bis 11:30.",
    "Van, versichert: Ja, 1.250,50 €, 1 Monat, 14 Tage",
    "B-2: Ada fehlt vom 11. Dez. 2026 bis 14. Dez. 2026.",
    "Gebucht vom 11. Dez. 2026, 10:00 bis 12. Dez. 2026, 11:30.",
    "Van, versichert: Nein, 1.250,50 €, 1 Monat, 14 Tage",
  ]);
  expect((await ada.get(`/api/bookings/${id}?label=true`)).body).toMatchObject({ _label: "Van Yes" });
});

test("a notification of an earlier version, which stored its values as texts, is translated with them", async () => {
  const served = await serveText(text);
  const ada = await served.person("Ada");
  await ada.post("/api/bookings", booking);
  const said = { begins: "11 Dec 2026, 10:00", ends: "11 Dec 2026, 11:30" };
  await served.database.query("update ninefold.notification set said = $1 where message like 'Booked%'", [
    JSON.stringify(said),
  ]);
  expect((await news(ada, "de"))[1]).toBe("Gebucht vom 11 Dec 2026, 10:00 bis 11 Dec 2026, 11:30.");
});
