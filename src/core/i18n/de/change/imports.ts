import type { TextsLike } from "../../catalogue.ts";
import type { importArguments } from "../../change-arguments/imports.ts";

export const texts = {
  "table.above": "Zeile {row, number} ({text}) steht über der Kopfzeile.",
  "table.total": "Zeile {row, number} ({text}) ist eine Summe.",
  "table.note": "Zeile {row, number} ({text}) hat nur einen Wert, wie eine Notiz.",
  "table.headless": "Spalte {column} hat Werte, aber keine Überschrift.",
  "table.merged": "Spalte {column} hat verbundene Zellen, zum Beispiel {cells}. Jede ihrer Zeilen bekommt den Wert.",
  "table.formula":
    "Spalte {column} hat Formeln ohne gespeichertes Ergebnis, zum Beispiel in {cells}. Diese Zellen sind leer. Speichern Sie die Datei in einem Tabellenprogramm, damit sie die Ergebnisse enthält.",
  "table.column": "Spalte {column}",
  "table.hidden": "Das Blatt {sheet} ist ausgeblendet.",
  "table.other": "Das Blatt {sheet} ist eine andere Tabelle.",
  "table.none": "Das Blatt {sheet} hat keine Kopfzeile mit Zeilen darunter.",
  "table.file.unnamed": "Keine Zeile nennt die Datei {file}. Sie wird ausgelassen.",
  "table.file.outside": "Der Pfad {file} führt aus der ZIP-Datei hinaus. Diese Datei wird ausgelassen.",
  "table.rounded":
    "{field}: auf {decimals, plural, =0 {eine ganze Zahl} one {# Dezimalstelle} other {# Dezimalstellen}} gerundet in {count, plural, one {# Zeile} other {# Zeilen}}, zum Beispiel {from} → {to}.",
  "table.cut":
    "{field}: Die Uhrzeit wurde in {count, plural, one {# Zeile} other {# Zeilen}} weggelassen, zum Beispiel {from} → {to}.",
  "table.reasons": "Abgelehnt, weil",
} satisfies TextsLike<typeof importArguments>;
