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
  "is.given": "{what} ist {not, select, true {nicht } other {}}gesetzt",
  "is.set": "{what} ist {not, select, true {nein} other {ja}}",
  earlier: "{what} liegt {same, select, true {nicht nach} other {vor}} {than}",
  later: "{what} liegt {same, select, true {nicht vor} other {nach}} {than}",
  less: "{what} ist {same, select, true {höchstens} other {kleiner als}} {than}",
  more: "{what} ist {same, select, true {mindestens} other {größer als}} {than}",
  some: "„{title}“ ist {not, select, true {} other {nicht }}leer",
  "is.earlier": "es ist {same, select, true {nicht später} other {früher}} als {than}",
  "is.later": "es ist {same, select, true {nicht früher} other {später}} als {than}",
  holds: "{quoted} trifft {not, select, true {nicht } other {}}zu",
  "is.met": "eine Bedingung der Spezifikation ist {not, select, true {nicht } other {}}erfüllt",
  where: "wenn {condition}: {phrase}",
  "has.role": "die Rolle „{role}“ haben Sie hier{not, select, true { nicht} other {}}",
  "has.role.other": "die Rolle „{role}“ hat {who} hier{not, select, true { nicht} other {}}",
  something: "eine Bedingung ist erfüllt, die Sie nicht sehen können",
  "at.its.stage": "der Zustand lässt „{transition}“ zu",
  either: "entweder {alternatives}",

  "comes.after": "Frist: {time}",
  "comes.at": "zu „{title}“",
  "comes.before.field": "{time} vor „{title}“",
  "comes.after.field": "{time} nach „{title}“",
  "comes.once": "sobald gilt: {phrase}",

  "may.be.done": "Ja, das ist jetzt möglich.",
  "may.be.tried": "Ja, je nachdem, was eingegeben wird.",
  unseen: "Diesen Eintrag gibt es nicht oder Sie haben keinen Zugriff darauf.",
  "unseen.field": "Das Feld „{name}“ gibt es hier nicht oder Sie haben keinen Zugriff darauf.",
  "depends.on":
    "Ja, wenn Folgendes zutrifft: {phrase}{others, plural, =0 {} one { (oder in einem weiteren Fall)} other { (oder in # weiteren Fällen)}}.",
  hidden: "Sie haben keinen Zugriff auf den Grund.",
  because: "{phrase_upper}.",
  "is.automatic": "„{field}“ wird automatisch ausgefüllt. Sie können es nicht bearbeiten.",
  "is.once": "„{field}“ lässt sich nach dem Anlegen nicht mehr bearbeiten.",
  "only.these": "Nur {who} kann das tun.",
  "only.these.none": "Niemand kann das tun.",
  "only.field":
    "Nur {who} kann „{field}“ {action, select, read {sehen} create {ausfüllen} update {bearbeiten} other {löschen}}.",
  "only.field.none":
    "Niemand kann „{field}“ {action, select, read {sehen} create {ausfüllen} update {bearbeiten} other {löschen}}.",
  only: "Nur {who} kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}.",
  "only.when":
    "Nur {who} kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}, und nur {when}.",
  "only.none":
    "Niemand kann {here, select, true {diesen Eintrag} other {{many}}} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}.",
  "only.transition": "{title_verb, select, yes {{title} kann nur {who}} other {„{title}“ ist nur für {who}}}.",
  "only.transition.when":
    "{title_verb, select, yes {{title} kann nur {who}} other {„{title}“ ist nur für {who}}}, und nur {when}.",
  "follows.from.others":
    "Niemand kann {many} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}: Sie ergeben sich aus anderen Einträgen.",
  "accounts.create": "Konten werden nicht hier angelegt. Die Administration lädt Personen ein.",
  "accounts.delete": "Konten können nicht gelöscht werden. Die Administration kann sie deaktivieren.",
  "administrators.only": "Das kann nur die Administration.",
  "tokens.none": "Diese Anwendung verwendet keine API-Token.",
  "tokens.not.yours": "Sie können keine API-Token anlegen.",
  "token.only.reads": "Dieses Token ist nur zum Lesen. Es kann nichts ändern.",
  "happens.automatically": "„{title}“ geschieht automatisch.",
  undecided:
    "Die Spezifikation sagt nicht, wer {many} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}} kann. Zurzeit kann es {until, select, nobody {niemand} other {nur die Administration}}.",
  "undecided.transition":
    "Die Spezifikation sagt nicht, wer „{title}“ ausführen kann. Zurzeit kann es nur die Administration.",
  "other.state": "„{title}“ ist nur im Zustand {states} möglich; dieser Eintrag ist {is}.",
  "other.state.hidden": "„{title}“ ist im aktuellen Zustand nicht möglich.",
  "you.only.in.state":
    "Sie können {many} nur im Zustand {states} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}; dieser Eintrag ist {is}.",
  "they.only.in.state":
    "{who} kann {many} nur im Zustand {states} {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}; dieser Eintrag ist {is}.",
  "not.now": "„{title}“ ist im Moment nicht möglich.",
  "only.looking": "Sie sehen die Anwendung als {name} (nur Lesen). Beenden Sie diese Ansicht, um etwas zu ändern.",
  "not.this":
    "Diesen Eintrag können Sie im Moment nicht {action, select, read {sehen} create {anlegen} update {bearbeiten} other {löschen}}.",
  "not.added": "Hier können Sie im Moment nichts hinzufügen.",
  "not.added.in.state": "Hinzufügen ist nur im Zustand {states} möglich; dieser Eintrag ist {is}.",
} satisfies ExplainTexts;
