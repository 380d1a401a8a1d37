import type { TextsLike } from "../../catalogue.ts";
import type { screenArguments } from "../../change-arguments/screens.ts";

/** Lines about points 1 and 2: name, logo, languages, screens, letters and tiles. */
export const texts = {
  // Purpose
  "the.default": "the default",
  "product.logo": "The logo is different.",
  "product.changed":
    "The {what, select, name {name} locale {language} timezone {time zone} accent {colour} other {purpose}} is now {now} instead of {before}.",
  "language.added": "The application is now also available in {language}.",
  "language.removed": "The application is no longer available in {language}.",
  "language.texts": "Some texts in {language} change.",

  // Screens
  "screen.added": "New screen {title} at {path}.",
  "screen.removed": "The screen {title} at {path} is removed.",
  "screen.called": "The screen {path} is now called {title}.",
  "screen.only": "The screen {path} is now only for {roles}.",
  "screen.everybody": "The screen {path} is no longer limited to certain roles.",
  "screen.also": "The screen {path} is now also for {roles}.",
  "screen.not.for": "The screen {path} is no longer for {roles}.",
  "screen.gains":
    "The screen {path} has new {member, select, columns {columns} filters {filters} other {fields}}: {names}.",
  "screen.loses":
    "The screen {path} no longer has these {member, select, columns {columns} filters {filters} other {fields}}: {names}.",
  "screen.replaces":
    "The screen {path} has different {member, select, columns {columns} filters {filters} other {fields}}: {gained} instead of {lost}.",
  "screen.section.called": "The section {before} on the screen {path} is now called {title}.",
  "screen.section.titled":
    "The section {title} on the screen {path} {isTitled, select, true {now has this title} other {no longer has a title}}.",
  "screen.shows": "The screen {path} now shows {names}.",
  "screen.shows.not": "The screen {path} no longer shows {names}.",
  "screen.order":
    "The screen {path} shows its {member, select, columns {columns} fields {fields} tiles {tiles} other {sections}} in a different order.",
  "screen.list.columns": "The screen {path} shows different columns of {list}.",
  "screen.list.gains": "On the screen {path}, the list {list} has new columns: {names}.",
  "screen.list.loses": "On the screen {path}, the list {list} no longer has these columns: {names}.",
  "screen.list.order": "The screen {path} shows the columns of {list} in a different order.",
  "screen.start": "People now start on the screen {now} instead of {before}.",
  "screens.order": "The navigation lists the screens in a different order.",
  "screens.defaults.end":
    "The specification now has screens of its own, so the automatic lists of {many} are no longer shown.",
  "screens.defaults.start": "The specification no longer has screens, so automatic lists of {many} are shown.",
  "screen.sorted": "The screen {path} now sorts its records by {names}.",
  "sort.down": "{name} (descending)",
  "screen.grouped": "The screen {path} now groups its records by {names}.",
  "screen.grouped.not": "The screen {path} no longer groups its records.",
  "screen.records": "The screen {path} now shows records under a different condition.",
  "screen.records.where": "The screen {path} now shows only records where {condition}.",
  "screen.records.all": "The screen {path} now shows every record that its reader can see.",
  "screen.letter": "The letter {path} now exists under a different condition.",
  "screen.letter.where": "The letter {path} now exists only if {condition}.",
  "screen.letter.always": "Every record now has the letter {path}.",
  "screen.layouts": "The layouts of the screen {path} now use different fields.",
  "layout.name": "{kind, select, board {board} calendar {calendar} pivot {pivot} other {table}}",
  "screen.layout.added": "The screen {path} now has another layout: {layouts}.",
  "screen.layout.removed": "The screen {path} no longer has this layout: {layouts}.",
  "screen.layout.first": "The screen {path} now opens with the layout {layout}.",
  "screen.sent":
    "The screen {path} is now sent to {roles} by email {days, select, day {every day} month {on the first day of each month} monday {every Monday} tuesday {every Tuesday} wednesday {every Wednesday} thursday {every Thursday} friday {every Friday} saturday {every Saturday} sunday {every Sunday} other {on working days}} at {time}.",
  "screen.sent.not": "The screen {path} is no longer sent by email.",
  "screen.sent.attached":
    "The emails of the screen {path} {attached, select, true {now have} other {no longer have}} its rows as an attachment.",
  "screen.sent.empty":
    "The emails of the screen {path} are {empty, select, true {now also} other {no longer}} sent if it shows nothing.",
  "screen.other":
    "The screen {path} {member, select, sections {arranges its fields and lists in different sections} when {shows some fields under different conditions} text {uses different words} totals {adds up different columns} entity {now shows the records of another entity} other {changes in other details: {member}}}.",
  "tile.added": "New tile {title} on the screen {path}.",
  "tile.changed":
    "The tile {title} on the screen {path} {member, select, where {now includes different records} entity {now includes the records of another entity} columns {now has different columns} sort {is now sorted differently} chart {now has a different kind of chart} per {is now grouped differently} value {now shows a different value} compare {is now compared with something else} target {now has a different target} rows {now has different rows} sum {now adds up a different field} other {now shows something else}}.",
  "tile.called": "The tile {before} on the screen {path} is now called {title}.",
  "tile.everybody": "The tile {title} on the screen {path} is no longer limited to certain roles.",
  "tile.only": "The tile {title} on the screen {path} is now only for {roles}.",
  "tile.also": "The tile {title} on the screen {path} is now also for {roles}.",
  "tile.not.for": "The tile {title} on the screen {path} is no longer for {roles}.",
  "tile.removed": "The screen {path} no longer has the tile {title}.",
} satisfies TextsLike<typeof screenArguments>;
