import type { MailTexts } from "../mail-arguments.ts";
import { texts as targets } from "./targets.ts";

export const texts = {
  "register.subject": "Bestätigen Sie Ihre E-Mail-Adresse für {application}",
  "register.text":
    "Bestätigen Sie Ihre E-Mail-Adresse, um Ihr Konto bei {application} anzulegen. Der Link funktioniert einmal und ist 24 Stunden gültig.\n\nE-Mail-Adresse bestätigen:\n{link}\n\nSie haben das nicht angefordert? Dann ignorieren Sie diese E-Mail.\n",
  "known.subject": "Ihr Konto bei {application}",
  "known.text":
    "Sie haben bereits ein Konto bei {application}.\n\nAnmelden:\n{link}\n\nPasswort vergessen? Wählen Sie dort „Passwort vergessen?“.\n\nSie haben das nicht angefordert? Dann ignorieren Sie diese E-Mail.\n",
  "invited.subject": "{person} lädt Sie zu {application} ein",
  "invited.who": "{person} lädt Sie zu {application} ein.",
  "invited.text":
    "Legen Sie zuerst Ihr Passwort fest. Der Link funktioniert einmal und ist {days} Tage gültig.\n\nPasswort festlegen:\n{link}\n\nDanach melden Sie sich unter {site} mit dieser E-Mail-Adresse an.\n\nSie haben diese Einladung nicht erwartet? Dann ignorieren Sie diese E-Mail.\n",
  "password.subject": "Ihr Passwort bei {application} zurücksetzen",
  "password.text":
    "{person} schickt Ihnen diesen Link, mit dem Sie Ihr Passwort bei {application} zurücksetzen können. Er funktioniert einmal und ist {hours} Stunden gültig.\n\nPasswort zurücksetzen:\n{link}\n\nIhr bisheriges Passwort gilt, bis Sie ein neues festlegen.\n\nSie haben das nicht erwartet? Dann ignorieren Sie diese E-Mail.\n",
  "forgotten.subject": "Ihr Passwort bei {application} zurücksetzen",
  "forgotten.text":
    "Jemand hat einen Link angefordert, mit dem Sie Ihr Passwort bei {application} zurücksetzen können. Er funktioniert einmal und ist eine Stunde gültig.\n\nPasswort zurücksetzen:\n{link}\n\nIhr bisheriges Passwort gilt, bis Sie ein neues festlegen.\n\nSie haben das nicht angefordert? Dann ignorieren Sie diese E-Mail.\n",
  "first.subject": "Ihr Passwort bei {application} festlegen",
  "first.text":
    "Jemand hat einen Link angefordert, mit dem Sie Ihr Passwort bei {application} festlegen können. Er funktioniert einmal und ist eine Stunde gültig.\n\nPasswort festlegen:\n{link}\n\nSie haben das nicht angefordert? Dann ignorieren Sie diese E-Mail.\n",
  "password.set.subject": "Ihr Passwort bei {application} wurde geändert",
  "password.set.text":
    "Das Passwort Ihres Kontos bei {application} wurde am {at} von der IP-Adresse {from} aus geändert. Alle anderen Sitzungen wurden beendet und Ihre API-Token widerrufen.\n\nWaren Sie das nicht? Dann wählen Sie auf der Anmeldeseite „Passwort vergessen?“ und informieren Sie sofort die Administration.\n\nAnmelden:\n{link}\n",
  "address.changed.subject": "Ihre E-Mail-Adresse bei {application} wurde geändert",
  "address.changed.text":
    "Die E-Mail-Adresse Ihres Kontos bei {application} wurde am {at} von {from} in {to} geändert. Melden Sie sich künftig mit der neuen Adresse an.\n\nStimmt das nicht? Dann informieren Sie sofort die Administration.\n",
  "token.made.subject": "Neues API-Token für Ihr Konto bei {application}",
  "token.made.text":
    "Für Ihr Konto bei {application} wurde am {at} von der IP-Adresse {from} aus das API-Token „{name}“ angelegt. Ein Programm mit diesem Token kann in Ihrem Namen tun, was das Token erlaubt.\n\nWaren Sie das nicht? Dann widerrufen Sie das Token auf der Seite Ihres Kontos, ändern Sie Ihr Passwort und informieren Sie die Administration.\n\nKonto öffnen:\n{link}\n",
  "token.ended.subject": "Ein API-Token Ihres Kontos bei {application} wurde widerrufen",
  "token.ended.text":
    "Das API-Token „{name}“ Ihres Kontos bei {application} wurde am {at} von der IP-Adresse {from} aus widerrufen. Das Programm, das es verwendet hat, hat keinen Zugriff mehr.\n\nDie Seite Ihres Kontos zeigt die gültigen Token.\n\nKonto öffnen:\n{link}\n",
  "proposal.subject": "{application}: Vorschlag {number} wartet auf Genehmigung",
  "proposal.text":
    "{event, select, person {{name} hat eine Änderung der Spezifikation von {application} vorgeschlagen} file {Der Server von {application} wurde mit einer geänderten Datei der Spezifikation gestartet} operator {Der Betreiber hat eine Änderung der Spezifikation von {application} vorgeschlagen} other {Eine vorgeschlagene Änderung der Spezifikation von {application} hat einen neuen Text und braucht daher neue Genehmigungen}}. Genehmigen Sie sie oder lehnen Sie sie ab (Vorschlag {number}).\n\nVorschlag öffnen:\n{link}\n\nSie erhalten diese E-Mail, weil Sie Änderungen von {application} genehmigen können.\n",
  "notice.subject": "{application}: neue Benachrichtigung",
  "notice.open": "Öffnen",
  "notice.act": "„{title}“",
  "notice.acts":
    "{count, plural, one {Der Link {acts} funktioniert einmal, {hours, plural, one {# Stunde} other {# Stunden}} lang, und handelt in Ihrem Namen} other {Die Links {acts} funktionieren einmal, {hours, plural, one {# Stunde} other {# Stunden}} lang, und handeln in Ihrem Namen}}. Leiten Sie diese E-Mail nicht weiter.",
  "notice.others": "und {count, plural, one {# weiteres} other {# weitere}}",
  "notice.deputy": "An diesen Tagen können Sie für {person}:",
  "notice.all": "Alle Benachrichtigungen",
  "notice.foot":
    "Sie erhalten diese E-Mail, weil {application} Ihnen Benachrichtigungen {timing, select, daily {einmal am Tag um {time}} other {sofort}} sendet.",
  "notice.settings": "E-Mail-Einstellungen",
  "notice.stop": "Abbestellen",
  "digest.subject": "{application}: {count, plural, one {# Benachrichtigung} other {# Benachrichtigungen}}",
  "report.rows": "{count, plural, one {# {thing}} other {# {things}}}",
  "report.more": "Die ersten {shown} von {total}",
  "report.empty": "Zurzeit keine.",
  "report.earlier": "{count, plural, one {# früherer Zeitraum} other {# frühere Zeiträume}}",
  ...targets,
  "report.foot":
    "Sie erhalten diese E-Mail, weil {application} „{title}“ {on, select, day {jeden Tag} month {am ersten Tag jedes Monats} monday {jeden Montag} tuesday {jeden Dienstag} wednesday {jeden Mittwoch} thursday {jeden Donnerstag} friday {jeden Freitag} saturday {jeden Samstag} sunday {jeden Sonntag} other {an Werktagen}} um {time} versendet.",
  "report.file": "Die angehängte Datei enthält die ersten {count, number} Zeilen.",
  "report.total": "Gesamt",
  "report.none": "Ohne {field}",
  "report.others": "{count, plural, one {1 weiterer} other {# weitere}}",
  "letter.unprintable":
    "Diese Datei kann einige Zeichen nicht darstellen. Sie erscheinen als □. Die Seite in der Anwendung zeigt sie.",
  "only.domains": "Registrieren kann man sich nur mit einer Adresse von {domains}.",
} satisfies MailTexts;
