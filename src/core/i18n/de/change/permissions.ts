import type { TextsLike } from "../../catalogue.ts";
import type { permissionArguments } from "../../change-arguments/permissions.ts";

export const texts = {
  // Permissions
  "object.all": "alle {many}",
  "object.some": "{many}",
  "object.none": "keine {many} mehr",
  "object.fields.all": "{fields} aller {many}",
  "object.fields.some": "{fields} der {many}",
  "object.fields.none": "{fields} der {many} nicht mehr",
  "object.except.all": "die Felder aller {many} außer {fields}",
  "object.except.some": "die Felder der {many} außer {fields}",
  "object.except.none": "die Felder der {many} außer {fields} nicht mehr",
  "fields.other": "die übrigen Felder",
  "object.new.some": "{fields} neuer {many}",
  "object.new.none": "{fields} neuer {many} nicht mehr",
  act: "{object} {action, select, read {sehen} create {anlegen} enter {eingeben} update {bearbeiten} other {löschen}}",
  "act.transition.all": "den Übergang {transition} aller {many} ausführen",
  "act.transition.some": "den Übergang {transition} der {many} ausführen",
  "act.transition.none": "den Übergang {transition} der {many} nicht mehr ausführen",
  can: "{who_upper} können jetzt {act}{anonymous, select, true {, auch ohne Anmeldung} other {}}.",
  "can.where":
    "{who_upper} können jetzt {act}{anonymous, select, true {, auch ohne Anmeldung} other {}}. Bedingung: {condition}.",
  "can.more": "{who_upper} können jetzt in mehr Fällen {act}.",
  "can.always": "{who_upper} können jetzt in allen Fällen {act}.",
  "can.only": "{who_upper} können jetzt nur noch unter einer Bedingung {act}: {condition}.",
  "cannot.always": "{who_upper} können jetzt nur noch in weniger Fällen {act}.",
  cannot: "{who_upper} können {act}{anonymous, select, true {, auch nicht ohne Anmeldung} other {}}.",
  "cannot.where":
    "{who_upper} können {act}{anonymous, select, true {, auch nicht ohne Anmeldung} other {}}. Betroffener Fall: {condition}.",
  "act.name": "{action, select, read {lesen} create {anlegen} update {ändern} other {löschen}}",
  "administrators.end":
    "Die Spezifikation legt jetzt die Berechtigungen fest. Administratoren können deshalb nicht mehr {acts}: {many}.",
  "administrators.people.end":
    "Die Spezifikation legt jetzt die Berechtigungen fest. Administratoren können deshalb auf Seiten und mit Aufrufen nicht mehr {acts}: {many}. Konten und Einladungen bleiben bei den Administratoren.",
  "administrators.names.end":
    "Die Spezifikation legt jetzt fest, wer {many} sehen kann. Administratoren sehen deshalb in Einträgen und Verläufen keine Namen von Personen mehr. Konten und Einladungen bleiben bei den Administratoren.",
  "administrators.accounts":
    "Die Spezifikation legt jetzt die Berechtigungen für {many} fest. Konten und Einladungen bleiben bei den Administratoren.",

  // Roles and approval
  "members.anyone": "für alle, auch ohne Anmeldung",
  "members.signed.in": "für alle, die angemeldet sind",
  "members.granted": "von der Administration zu vergeben",
  "members.deputies": "für Personen, die jemanden vertreten",
  "role.added": "Neue Rolle {title}, {members}.",
  "role.removed": "Die Rolle {title} entfällt.",
  "role.members": "Die Rolle {title} ist jetzt {members}.",
  "role.was.called": "Die Rolle {title} hieß {before}.",
  "held.added": "Neue Rolle {title} für einzelne {many}.",
  "held.removed": "Die Rolle {title} der {many} entfällt.",
  "held.more": "Mehr Personen haben die Rolle {title} der {many}.",
  "held.fewer": "Weniger Personen haben die Rolle {title} der {many}.",
  "held.was.called": "Die Rolle {title} der {many} hieß {before}.",
  "deputies.can": "Wer die Rolle {title} hat, kann sich jetzt vertreten lassen.",
  "deputies.cannot": "Wer die Rolle {title} hat, kann sich nicht mehr vertreten lassen.",
  "approval.can":
    "Die Rolle {title} kann jetzt Änderungen der Spezifikation {action, select, propose {vorschlagen} other {genehmigen}}.",
  "approval.cannot":
    "Die Rolle {title} kann keine Änderungen der Spezifikation mehr {action, select, propose {vorschlagen} other {genehmigen}}.",
  "approval.count":
    "Eine Änderung der Spezifikation braucht jetzt {now, plural, one {1 Genehmigung} other {# Genehmigungen}} statt {before, plural, one {1 Genehmigung} other {# Genehmigungen}}.",
  "approval.not.own": "Niemand kann mehr eigene Änderungen der Spezifikation genehmigen.",
  "approval.own": "Man kann jetzt eigene Änderungen der Spezifikation genehmigen.",

  // Sign-in and tokens
  "password.on": "Die Anmeldung ist jetzt mit einem Passwort möglich.",
  "password.off": "Die Anmeldung ist nicht mehr mit einem Passwort möglich.",
  "basic.on": "Programme können jetzt mit jeder Anfrage eine E-Mail-Adresse und ein Passwort senden.",
  "basic.off": "Programme können nicht mehr mit jeder Anfrage eine E-Mail-Adresse und ein Passwort senden.",
  "provider.on": "Die Anmeldung ist jetzt mit {title} möglich.",
  "provider.off": "Die Anmeldung ist nicht mehr mit {title} möglich.",
  "provider.other":
    "Die Anmeldung mit {title} {member, select, title {hat jetzt einen anderen Titel} issuer {verwendet eine andere Adresse des Anbieters} client {verwendet eine andere Client-ID} secret {verwendet ein anderes Client-Geheimnis} other {ändert sich}}.",
  "sign.in.off": "Niemand meldet sich mehr in der Anwendung an: Alle können jetzt dasselbe wie Besucher.",
  "sign.in.on": "Man kann sich jetzt in der Anwendung anmelden.",
  "sign.in.by": "Personen können sich auch mit „{name}“ anmelden.",
  "sign.in.by.email": "Personen können sich nur mit ihrer E-Mail-Adresse anmelden.",
  "register.on": "Man kann sich jetzt selbst registrieren.",
  "register.off": "Man kann sich nicht mehr selbst registrieren.",
  "register.any": "Man kann sich jetzt mit jeder E-Mail-Adresse registrieren.",
  "register.at": "Man kann sich jetzt mit einer E-Mail-Adresse von {names} registrieren.",
  "register.at.once":
    "Konten entstehen jetzt sofort, ohne Link per E-Mail: Man kann sich mit einer Adresse registrieren, die einem nicht gehört.",
  "register.mailed": "Konten entstehen jetzt nur mit einem Link, der an die E-Mail-Adresse geht.",
  "register.roles": "Bei der Registrierung werden jetzt diese Rollen vergeben: {names}.",
  "register.asks": "Wer sich registriert, muss jetzt {names} angeben.",
  "register.asks.nothing": "Wer sich registriert, muss keine zusätzlichen Angaben mehr machen.",
  "register.no.roles": "Bei der Registrierung wird keine Rolle mehr vergeben.",
  "outgoing.added": "Die Anwendung ruft jetzt ein anderes Programm auf: {name}.",
  "outgoing.removed": "Der Aufruf {name} eines anderen Programms entfällt.",
  "outgoing.method": "Der Aufruf {name} eines anderen Programms verwendet jetzt {now} statt {before}.",
  "outgoing.address": "Der Aufruf {name} eines anderen Programms geht jetzt an {now} statt an {before}.",
  "outgoing.retries":
    "Der Aufruf {name} eines anderen Programms wird jetzt {now, plural, one {einmal} other {# Mal}} statt {before, plural, one {einmal} other {# Mal}} wiederholt.",
  "outgoing.other":
    "Der Aufruf {name} eines anderen Programms {member, select, headers {sendet andere Kopfzeilen} secret {verwendet ein anderes Geheimnis} chat {geht an einen anderen Dienst} other {ändert sich}}.",
  "outgoing.readers":
    "Nachrichten an {name} enthalten jetzt, was {now} sehen können; bisher war es das, was {before} sehen können.",
  "readers.visitors": "nicht angemeldete Personen",
  "errors.form": "Abgelehnte Aufrufe erhalten ihre Fehler jetzt in einem anderen Format.",
  "origins.added": "Seiten von {names} können die Anwendung jetzt aufrufen.",
  "origins.removed": "Seiten von {names} können die Anwendung nicht mehr aufrufen.",
  "tokens.by": "API-Token können jetzt angelegt werden von: {names}.",
  "tokens.by.nobody": "API-Token kann jetzt niemand mehr anlegen.",
  "tokens.days": "API-Token gelten jetzt höchstens {now} Tage statt {before}.",
  "tokens.scheme": "API-Token werden jetzt als {now} gesendet statt als {before}.",
} satisfies TextsLike<typeof permissionArguments>;
