import type { ExplainTexts } from "../catalogue.ts";

export const texts = {
  "list.more": "{before}, {last}",
  "list.and": "{before} and {last}",
  "list.or": "{before} or {last}",
  "list.nor": "{before} nor {last}",

  you: "you",
  administrator: "an administrator",
  oneself: "the person concerned",
  group: "{title_person, select, yes {{title_begins, select, vowel {an} other {a}} {title_lower}} other {{title}}}",
  holder: "the {title_lower}",
  "holder.with.names": "{who} ({names})",
  "holder.with.names.alone": "{who}, {names},",
  "holder.with.when": "{who} ({when})",
  "holder.with.names.when": "{who} ({names}, {when})",
  "in.states": "while it is {states}",

  now: "now",
  today: "today",
  own: "the {title_lower}",
  record: "this {entity}",
  before: "{what} as it was",
  of: "{owner}{owner_ends, select, s {’} other {’s}} {title_lower}",
  yours: "your {title_lower}",
  limit: "{value} ({name_lower})",
  named: "“{title}”",
  quoted: "“{source}”",
  plus: "{what} plus {more}",
  minus: "{what} less {less}",
  "long.before": "{long} before {what}",
  "long.after": "{long} after {what}",

  "you.are": "you are{not, select, true { not} other {}} {what}",
  "this.is.you": "this is {not, select, true {somebody else} other {you}}",
  is: "{what} is{not, select, true { not} other {}} {value}",
  "is.one.of": "{what} is {values}",
  "is.none.of": "{what} is neither {values}",
  "is.given": "{what} is {not, select, true {missing} other {given}}",
  "is.set": "{what} is {not, select, true {no} other {yes}}",
  earlier: "{what} is {same, select, true {{than} or earlier} other {before {than}}}",
  later: "{what} is {same, select, true {{than} or later} other {after {than}}}",
  less: "{what} is {same, select, true {at most} other {less than}} {than}",
  more: "{what} is {same, select, true {at least} other {more than}} {than}",
  some: "{not, select, true {nothing} other {something}} is in “{title}”",
  "is.earlier": "it is {same, select, true {not yet later} other {earlier}} than {than}",
  "is.later": "it is {same, select, true {no earlier} other {later}} than {than}",
  holds: "{quoted} {not, select, true {does not hold} other {holds}}",
  where: "if {condition}, {phrase}",
  "has.role": "you are{not, select, true { not} other {}} the {role_lower} here",
  "has.role.other": "{who} is{not, select, true { not} other {}} the {role_lower} here",
  something: "something is true that is not for you to see",
  "at.its.stage": "it is at a stage that “{transition}” is for",
  either: "either {alternatives}",

  "comes.after": "after {time}",
  "comes.at": "at “{title}”",
  "comes.before.field": "{time} before “{title}”",
  "comes.after.field": "{time} after “{title}”",
  "comes.once": "once {phrase}",

  "may.be.done": "Yes, this can be done now.",
  "may.be.tried": "Yes, as far as it can be said before anything is entered.",
  unseen: "There is no such record, or it is not for you to see.",
  "unseen.field": "There is no field “{name}” here, or it is not for you to see.",
  "depends.on": "Yes, if {phrase}{others, plural, =0 {} one {, or in one other case} other {, or in # other cases}}.",
  hidden: "The reason is something that is not for you to see.",
  because: "{phrase_upper}.",
  "is.automatic": "“{field}” is filled in automatically. Nobody types it in.",
  "is.once": "“{field}” stays as it was when the record was added.",
  "only.these": "Only {who} can do this.",
  "only.these.none": "Nobody can do this.",
  "only.field":
    "Only {who} can {action, select, read {see} create {fill in} update {change} other {delete}} “{field}”.",
  "only.field.none":
    "Nobody can {action, select, read {see} create {fill in} update {change} other {delete}} “{field}”.",
  only: "Only {who} can {action, select, read {see} create {add} update {change} other {delete}} {here, select, true {this} other {{one_begins, select, vowel {an} other {a}}}} {one}.",
  "only.when":
    "Only {who} can {action, select, read {see} create {add} update {change} other {delete}} {here, select, true {this} other {{one_begins, select, vowel {an} other {a}}}} {one}, and only {when}.",
  "only.none":
    "Nobody can {action, select, read {see} create {add} update {change} other {delete}} {here, select, true {this} other {{one_begins, select, vowel {an} other {a}}}} {one}.",
  "only.transition":
    "{title_verb, select, yes {Only {who} can {title_lower} {here, select, true {this} other {{one_begins, select, vowel {an} other {a}}}} {one}} other {“{title}” is only for {who}}}.",
  "only.transition.when":
    "{title_verb, select, yes {Only {who} can {title_lower} {here, select, true {this} other {{one_begins, select, vowel {an} other {a}}}} {one}} other {“{title}” is only for {who}}}, and only {when}.",
  "follows.from.others":
    "Nobody can {action, select, read {see} create {add} update {change} other {delete}} {one_begins, select, vowel {an} other {a}} {one}: {many} follow from other records.",
  "accounts.create": "People are invited by an administrator, not added here.",
  "accounts.delete": "Accounts are not deleted. An administrator can deactivate one.",
  "administrators.only": "Only an administrator can do this.",
  "tokens.none": "Tokens for programs are not made here.",
  "tokens.not.yours": "Tokens for programs are not for you to make.",
  "token.only.reads": "This token is for reading alone. Nothing can be changed with it.",
  "happens.automatically": "“{title}” happens by itself. Nobody does it by hand.",
  undecided:
    "Nobody has decided yet who can {action, select, read {see} create {add} update {change} other {delete}} {one_begins, select, vowel {an} other {a}} {one}. Until then, {until, select, nobody {nobody} other {only an administrator}} can.",
  "undecided.transition": "Nobody has decided yet who “{title}” is for. Until then, it is only for an administrator.",
  "other.state":
    "“{title}” is for {one_begins, select, vowel {an} other {a}} {one} that is {states}; this one is {is}.",
  "other.state.hidden": "“{title}” is for {one_begins, select, vowel {an} other {a}} {one} at another stage.",
  "you.only.in.state":
    "You can {action, select, read {see} create {add} update {change} other {delete}} {one_begins, select, vowel {an} other {a}} {one} while it is {states}; this one is {is}.",
  "they.only.in.state":
    "{who} can {action, select, read {see} create {add} update {change} other {delete}} {one_begins, select, vowel {an} other {a}} {one} while it is {states}; this one is {is}.",
  "not.now": "“{title}” cannot be done at the moment.",
  "only.looking": "You are only looking as {name}. Nothing can be changed meanwhile.",
  "not.this":
    "You cannot {action, select, read {see} create {add} update {change} other {delete}} this {one} at the moment.",
  "not.added": "No {many} can be added to this {to} at the moment.",
  "not.added.in.state":
    "{many_upper} can be added to {to_begins, select, vowel {an} other {a}} {to} while it is {states}; this one is {is}.",
} satisfies ExplainTexts;

/** For documents in another language: their words stand in quotes and are never inflected. */
export const aroundForeignWords = {
  group: "“{title}”",
  holder: "“{title}”",
  own: "“{title}”",
  of: "“{title}” of {owner}",
  yours: "your “{title}”",
  limit: "{value} ({name})",
  "has.role": "you have {not, select, true {not } other {}}the role “{role}” here",
  "has.role.other": "{who} has {not, select, true {not } other {}}the role “{role}” here",
  // Foreign titles cannot be used as verbs.
  "only.transition": "“{title}” is only for {who}.",
  "only.transition.when": "“{title}” is only for {who}, and only {when}.",
} satisfies Partial<ExplainTexts>;
