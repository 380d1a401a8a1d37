import type { TitleTexts } from "../grammar.ts";

/** Titles of parts that the program adds to a document. */
export const titles: TitleTexts = {
  "deputies.one": "deputy",
  "deputies.many": "deputies",
  "deputies.role": "{role} (deputy)",
  "deputies.away": "Person who is away",
  "deputies.person": "Person",
  "deputies.deputy": "Deputy",
  "deputies.first_day": "First day",
  "deputies.last_day": "Last day",
  "deputies.notice": "{person} names you as deputy from {first} to {last}.",
  "deputies.notice.changed": "The last day on which you stand in for {person} is now {last}.",
  "deputies.notice.changed.own": "The last day on which {deputy} stands in for you is now {last}.",
  "deputies.notice.ended": "You no longer stand in for {person}. It was planned from {first} to {last}.",
  "deputies.notice.ended.own": "{deputy} no longer stands in for you. It was planned from {first} to {last}.",
  "deputies.notice.begins": "You now stand in for {person}, until {last}.",
  "deputies.notice.begins.own": "{deputy} now stands in for you, until {last}.",
  "deputies.notice.over": "You no longer stand in for {person}: {last} was the last day.",
  "deputies.notice.over.own": "{deputy} no longer stands in for you: {last} was the last day.",
  "deputies.represented": "In the name of",
  "approvals.void": "Approvals void",
};
