import type { ExplainTexts } from "../catalogue.ts";

/** Words of the document stand in quotes or after a colon, because the gender of its nouns is unknown. */
export const texts = {
  "list.more": "{before}, {last}",
  "list.and": "{before} und {last}",
  "list.or": "{before} oder {last}",
  "list.nor": "{before} noch {last}",

  you: "Sie",
  administrator: "die Administration",
  oneself: "die betreffende Person",
  group: "„{title}“",
  holder: "„{title}“",
  "holder.with.names": "{who} ({names})",
  "holder.with.names.alone": "{who} ({names})",
  "holder.with.when": "{who} ({when})",
  "holder.with.names.when": "{who} ({names}, {when})",
  "in.states": "im Zustand {states}",

  now: "jetzt",
  today: "heute",
  own: "„{title}“",
  record: "dieser Eintrag ({entity})",
  before: "{what} (vorher)",
  of: "„{title}“ von {owner}",
  yours: "Ihr „{title}“",
  limit: "{value} ({name})",
  named: "„{title}“",
  quoted: "„{source}“",
  plus: "{what} plus {more}",
  minus: "{what} minus {less}",
  "long.before": "{long} vor {what}",
  "long.after": "{long} nach {what}",

  "you.are": "{what} sind {not, select, true {nicht } other {}}Sie",
  "this.is.you": "das {not, select, true {ist jemand anders} other {sind Sie}}",
  is: "{what} ist {not, select, true {nicht } other {}}{value}",
  "is.one.of": "{what} ist {values}",
  "is.none.of": "{what} ist weder {values}",
  "is.given": "{what} {not, select, true {fehlt} other {ist angegeben}}",
  "is.set": "{what} ist {not, select, true {nein} other {ja}}",
  earlier: "{what} liegt {same, select, true {nicht nach} other {vor}} {than}",
  later: "{what} liegt {same, select, true {nicht vor} other {nach}} {than}",
  less: "{what} ist {same, select, true {höchstens} other {kleiner als}} {than}",
  more: "{what} ist {same, select, true {mindestens} other {größer als}} {than}",
  some: "in „{title}“ steht {not, select, true {nichts} other {etwas}}",
  "is.earlier": "es ist {same, select, true {nicht später} other {früher}} als {than}",
  "is.later": "es ist {same, select, true {nicht früher} other {später}} als {than}",
  holds: "{quoted} trifft {not, select, true {nicht } other {}}zu",
  where: "wenn {condition}: {phrase}",
  "has.role": "die Rolle „{role}“ haben Sie hier{not, select, true { nicht} other {}}",
  "has.role.other": "die Rolle „{role}“ hat {who} hier{not, select, true { nicht} other {}}",
  something: "etwas stimmt, das nicht für Sie bestimmt ist",
  "at.its.stage": "der Zustand passt zu „{transition}“",
  either: "entweder {alternatives}",

  "comes.after": "Frist: {time}",
  "comes.at": "zu „{title}“",
  "comes.before.field": "{time} vor „{title}“",
  "comes.after.field": "{time} nach „{title}“",
  "comes.once": "sobald gilt: {phrase}",

  "may.be.done": "Ja, das geht jetzt.",
  "may.be.tried": "Ja, soweit es sich vor der Eingabe sagen lässt.",
  unseen: "Diesen Eintrag gibt es nicht, oder er ist nicht für Sie bestimmt.",
  "unseen.field": "Ein Feld „{name}“ gibt es hier nicht, oder es ist nicht für Sie bestimmt.",
  "depends.on":
    "Ja, wenn Folgendes stimmt: {phrase}{others, plural, =0 {} one {; oder in einem anderen Fall} other {; oder in # anderen Fällen}}.",
  hidden: "Der Grund ist etwas, das nicht für Sie bestimmt ist.",
  because: "{phrase_upper}.",
  "is.automatic": "„{field}“ wird von selbst ausgefüllt. Niemand gibt es ein.",
  "is.once": "„{field}“ bleibt, wie es beim Anlegen war.",
  "only.these": "Nur {who} kann das tun.",
  "only.these.none": "Niemand kann das tun.",
  "only.field":
    "Nur {who} kann „{field}“ {action, select, read {sehen} create {ausfüllen} update {ändern} other {löschen}}.",
  "only.field.none":
    "Niemand kann „{field}“ {action, select, read {sehen} create {ausfüllen} update {ändern} other {löschen}}.",
  only: "Nur {who} kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}.",
  "only.when":
    "Nur {who} kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}, und nur {when}.",
  "only.none":
    "Niemand kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}.",
  "only.transition": "{title_verb, select, yes {{title} kann nur {who}} other {„{title}“ ist nur für {who}}}.",
  "only.transition.when":
    "{title_verb, select, yes {{title} kann nur {who}} other {„{title}“ ist nur für {who}}}, und nur {when}.",
  "follows.from.others":
    "Niemand kann {many} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}: Sie ergeben sich aus anderen Einträgen.",
  "accounts.create": "Personen werden von der Administration eingeladen, nicht hier angelegt.",
  "accounts.delete": "Konten werden nicht gelöscht. Die Administration kann eines deaktivieren.",
  "administrators.only": "Das kann nur die Administration.",
  "tokens.none": "Schlüssel für Programme werden hier nicht ausgestellt.",
  "tokens.not.yours": "Schlüssel für Programme können Sie nicht ausstellen.",
  "token.only.reads": "Dieser Schlüssel ist nur zum Lesen. Ändern lässt sich damit nichts.",
  "happens.automatically": "„{title}“ geschieht von selbst. Niemand löst es von Hand aus.",
  undecided:
    "Noch hat niemand entschieden, wer {many} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}} kann. Bis dahin kann es {until, select, nobody {niemand} other {nur die Administration}}.",
  "undecided.transition":
    "Noch hat niemand entschieden, für wen „{title}“ ist. Bis dahin ist es nur für die Administration.",
  "other.state": "„{title}“ ist nur möglich bei {states}; dieser Eintrag ist {is}.",
  "other.state.hidden": "„{title}“ ist in diesem Zustand nicht möglich.",
  "you.only.in.state":
    "Sie können {many} im Zustand {states} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}; dieser Eintrag ist {is}.",
  "they.only.in.state":
    "{who} kann {many} im Zustand {states} {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}; dieser Eintrag ist {is}.",
  "not.now": "„{title}“ ist im Moment nicht möglich.",
  "only.looking": "Sie sehen das nur mit den Augen von {name}. Solange lässt sich nichts ändern.",
  "not.this":
    "Diesen Eintrag können Sie im Moment nicht {action, select, read {sehen} create {anlegen} update {ändern} other {löschen}}.",
  "not.added": "Hier können Sie im Moment nichts hinzufügen.",
  "not.added.in.state": "Hinzufügen geht im Zustand {states}; dieser Eintrag ist {is}.",
} satisfies ExplainTexts;
