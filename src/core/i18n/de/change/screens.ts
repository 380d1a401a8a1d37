import type { TextsLike } from "../../catalogue.ts";
import type { screenArguments } from "../../change-arguments/screens.ts";

export const texts = {
  // Purpose
  "the.default": "die Vorgabe",
  "product.logo": "Das Logo ist ein anderes.",
  "product.changed":
    "{what, select, name {Name} locale {Sprache} timezone {Zeitzone} accent {Farbe} other {Zweck}}: jetzt {now} statt {before}.",
  "language.added": "Die Anwendung gibt es jetzt in einer weiteren Sprache: {language}.",
  "language.removed": "Die Anwendung gibt es nicht mehr in der Sprache {language}.",
  "language.texts": "Einige Texte in der Sprache {language} ändern sich.",

  // Screens
  "screen.added": "Neue Ansicht {title} unter {path}.",
  "screen.removed": "Die Ansicht {title} unter {path} entfällt.",
  "screen.called": "Die Ansicht {path} heißt jetzt {title}.",
  "screen.only": "Die Ansicht {path} steht jetzt nur noch diesen Rollen offen: {roles}.",
  "screen.everybody": "Die Ansicht {path} ist nicht mehr auf bestimmte Rollen beschränkt.",
  "screen.also": "Die Ansicht {path} steht jetzt auch diesen Rollen offen: {roles}.",
  "screen.not.for": "Die Ansicht {path} steht diesen Rollen nicht mehr offen: {roles}.",
  "screen.gains":
    "Die Ansicht {path} zeigt jetzt {names} als {member, select, columns {Spalte} filters {Filter} other {Feld}}.",
  "screen.loses":
    "Die Ansicht {path} zeigt {names} nicht mehr als {member, select, columns {Spalte} filters {Filter} other {Feld}}.",
  "screen.replaces":
    "Die Ansicht {path} zeigt als {member, select, columns {Spalte} filters {Filter} other {Feld}} jetzt {gained} statt {lost}.",
  "screen.section.called": "Der Abschnitt {before} der Ansicht {path} heißt jetzt {title}.",
  "screen.section.titled":
    "Der Abschnitt {title} der Ansicht {path} {isTitled, select, true {hat jetzt diesen Titel} other {hat keinen Titel mehr}}.",
  "screen.shows": "Die Ansicht {path} zeigt jetzt {names}.",
  "screen.shows.not": "Die Ansicht {path} zeigt {names} nicht mehr.",
  "screen.order":
    "Die Ansicht {path} zeigt ihre {member, select, columns {Spalten} fields {Felder} tiles {Kacheln} other {Abschnitte}} in anderer Reihenfolge.",
  "screen.list.columns": "Die Ansicht {path} zeigt andere Spalten von {list}.",
  "screen.list.gains": "Die Ansicht {path} zeigt jetzt diese Spalten von {list}: {names}.",
  "screen.list.loses": "Die Ansicht {path} zeigt diese Spalten von {list} nicht mehr: {names}.",
  "screen.list.order": "Die Ansicht {path} zeigt die Spalten von {list} in anderer Reihenfolge.",
  "screen.start": "Die Startseite ist jetzt die Ansicht {now} statt {before}.",
  "screens.order": "Die Navigation führt die Ansichten in anderer Reihenfolge auf.",
  "screens.defaults.end":
    "Die Spezifikation hat jetzt eigene Ansichten. Diese automatischen Listen werden deshalb nicht mehr angezeigt: {many}.",
  "screens.defaults.start":
    "Die Spezifikation hat keine Ansichten mehr. Diese automatischen Listen werden deshalb angezeigt: {many}.",
  "screen.sorted": "Die Ansicht {path} sortiert ihre Einträge jetzt nach {names}.",
  "sort.down": "{name} (absteigend)",
  "screen.grouped": "Die Ansicht {path} gruppiert ihre Einträge jetzt nach {names}.",
  "screen.grouped.not": "Die Ansicht {path} gruppiert ihre Einträge nicht mehr.",
  "screen.records": "Die Ansicht {path} zeigt ihre Einträge jetzt unter einer anderen Bedingung.",
  "screen.records.where": "Die Ansicht {path} zeigt jetzt nur noch Einträge unter dieser Bedingung: {condition}.",
  "screen.records.all": "Die Ansicht {path} zeigt jetzt alle Einträge, die man sehen kann.",
  "screen.letter": "Den Brief {path} gibt es jetzt unter einer anderen Bedingung.",
  "screen.letter.where": "Den Brief {path} gibt es jetzt nur noch unter dieser Bedingung: {condition}.",
  "screen.letter.always": "Den Brief {path} gibt es jetzt zu jedem Eintrag.",
  "screen.layouts": "Die Darstellungen der Ansicht {path} richten sich jetzt nach anderen Feldern.",
  "layout.name": "{kind, select, board {Board} calendar {Kalender} pivot {Kreuztabelle} other {Tabelle}}",
  "screen.layout.added": "Die Ansicht {path} hat eine weitere Darstellung: {layouts}.",
  "screen.layout.removed": "Die Ansicht {path} hat diese Darstellung nicht mehr: {layouts}.",
  "screen.layout.first": "Die Ansicht {path} erscheint jetzt zuerst in der Darstellung {layout}.",
  "screen.sent":
    "Die Ansicht {path} wird jetzt {days, select, day {jeden Tag} month {am ersten Tag jedes Monats} monday {jeden Montag} tuesday {jeden Dienstag} wednesday {jeden Mittwoch} thursday {jeden Donnerstag} friday {jeden Freitag} saturday {jeden Samstag} sunday {jeden Sonntag} other {an Werktagen}} um {time} per E-Mail an {roles} gesendet.",
  "screen.sent.not": "Die Ansicht {path} wird nicht mehr per E-Mail gesendet.",
  "screen.sent.attached":
    "Die E-Mails der Ansicht {path} haben {attached, select, true {jetzt} other {nicht mehr}} alle Zeilen als Anhang.",
  "screen.sent.empty":
    "Die E-Mails der Ansicht {path} werden {empty, select, true {jetzt auch} other {nicht mehr}} gesendet, wenn sie nichts zeigt.",
  "screen.other":
    "Die Ansicht {path} {member, select, sections {ordnet ihre Felder und Listen in andere Abschnitte} when {zeigt einige Felder unter anderen Bedingungen} text {verwendet andere Worte} totals {summiert andere Spalten} entity {zeigt jetzt die Einträge einer anderen Entität} other {ändert sich in anderen Einzelheiten: {member}}}.",
  "tile.added": "Neue Kachel {title} auf der Ansicht {path}.",
  "tile.changed":
    "Die Kachel {title} auf der Ansicht {path} {member, select, where {berücksichtigt jetzt andere Einträge} entity {zeigt jetzt die Einträge einer anderen Entität} columns {hat jetzt andere Spalten} sort {ist jetzt anders sortiert} chart {zeigt jetzt eine andere Art von Diagramm} per {ist jetzt anders gruppiert} value {zeigt jetzt einen anderen Wert} compare {wird jetzt mit etwas anderem verglichen} target {hat jetzt ein anderes Ziel} rows {hat jetzt andere Zeilen} sum {summiert jetzt ein anderes Feld} other {zeigt jetzt etwas anderes}}.",
  "tile.called": "Die Kachel {before} auf der Ansicht {path} heißt jetzt {title}.",
  "tile.everybody": "Die Kachel {title} auf der Ansicht {path} ist nicht mehr auf bestimmte Rollen beschränkt.",
  "tile.only": "Die Kachel {title} auf der Ansicht {path} ist jetzt nur noch für diese Rollen: {roles}.",
  "tile.also": "Die Kachel {title} auf der Ansicht {path} ist jetzt auch für diese Rollen: {roles}.",
  "tile.not.for": "Die Kachel {title} auf der Ansicht {path} ist nicht mehr für diese Rollen: {roles}.",
  "tile.removed": "Die Kachel {title} auf der Ansicht {path} entfällt.",
} satisfies TextsLike<typeof screenArguments>;
