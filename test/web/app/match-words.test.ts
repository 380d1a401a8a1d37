import { describe, expect, test } from "vitest";
import { texts as de } from "../../../src/core/i18n/de/screen-texts.ts";
import { texts as en } from "../../../src/core/i18n/en/screen-texts.ts";
import { texts as fr } from "../../../src/core/i18n/fr/screen-texts.ts";
import { beginsWith, findByWords } from "../../../src/web/frame/palette/match-words.ts";

const texts = { en, de, fr };
const find = (items: readonly string[], typed: string, language: keyof typeof texts = "en") =>
  findByWords(items, (item) => item, typed, {
    small: texts[language]["palette.small.words"],
    synonyms: texts[language]["palette.synonyms"],
  });

describe("commands are found by words", () => {
  const commands = ["To order", "Order by category", "Name a deputy… Hand over your work to a colleague", "Öffnen"];

  test.each([
    ["", commands],
    ["  ", commands],
    ["category order", ["Order by category"]],
    ["offnen", ["Öffnen"]],
    ["nowhere", []],
  ])("in any order, with or without marks: “%s”", (typed, found) => {
    expect(find(commands, typed)).toEqual(found);
  });

  test.each([
    ["en", "Name a deputy… Hand over your work to a colleague", "hand my work to the colleague"],
    ["en", "Name a deputy… Hand over your work to a colleague", "my work"],
    ["de", "Vertretung bestimmen … Arbeit an Kollegen übergeben", "meine Arbeit an einen Kollegen übergeben"],
    ["fr", "Désigner un remplaçant… Confier son travail à un collègue", "confier mon travail à l’un des collègue"],
  ] as const)("without small words in %s, if nothing has them", (language, command, typed) => {
    expect(find([command, "Switch theme"], typed, language)).toEqual([command]);
  });

  test.each([
    ["en", "log out", "Sign out"],
    ["en", "night mode", "Switch to the dark theme"],
    ["en", "download", "Export"],
    ["en", "bin", "Trash"],
    ["en", "my password", "Your account"],
    ["en", "kanban", "Board"],
    ["en", "invite", "Accounts"],
    ["en", "mails", "Your account"],
    ["en", "failed", "Messages not sent"],
    ["en", "inbox", "All notifications"],
    ["en", "shortcuts", "Help"],
    ["de", "ausloggen", "Abmelden"],
    ["de", "Nacht", "Zum dunklen Design wechseln"],
    ["de", "herunterladen", "Exportieren"],
    ["de", "mein Kennwort", "Ihr Konto"],
    ["de", "wiederherst", "Papierkorb"],
    ["de", "Benutzer", "Konten"],
    ["de", "fehlgeschlagen", "Nicht gesendete Nachrichten"],
    ["fr", "quitter", "Se déconnecter"],
    ["fr", "télécharger", "Exporter"],
    ["fr", "échoués", "Messages non envoyés"],
  ] as const)("by another word for the same in %s, if nothing has the words: “%s”", (language, typed, command) => {
    expect(find([command, "Invoices", "Rechnungen", "Factures"], typed, language)).toEqual([command]);
  });

  test("by their own words alone, if something has them", () => {
    expect(find(["Download the form", "Export"], "download")).toEqual(["Download the form"]);
  });

  test("with small words, if something has them", () => {
    expect(find(commands, "to order")).toEqual(["To order"]);
    expect(find(commands, "the")).toEqual([]);
  });

  test("at the beginning or within", () => {
    expect(beginsWith("Öffnen", " offn")).toBe(true);
    expect(beginsWith("Wieder öffnen", "offn")).toBe(false);
    expect(beginsWith("Öffnen", " ")).toBe(false);
  });
});
