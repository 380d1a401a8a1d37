import type { TextsLike } from "../../catalogue.ts";
import type { texts as english } from "../../en/interface/versions.ts";

export const texts = {
  "plan.title": "Plan",
  "plan.none": "Noch keine Änderungen",
  "plan.none.words":
    "Ändern Sie den Text. Der Plan zeigt dann, was Ihre Änderungen bewirken, bevor Sie sie veröffentlichen.",
  "plan.errors":
    "{count, plural, one {Ihr Entwurf hat 1 Fehler. Beheben Sie ihn, um den Plan zu sehen.} other {Ihr Entwurf hat # Fehler. Beheben Sie sie, um den Plan zu sehen.}}",
  "plan.errors.before":
    "{count, plural, one {Ihr Entwurf hat 1 Fehler. Der Plan unten zeigt den Stand davor.} other {Ihr Entwurf hat # Fehler. Der Plan unten zeigt den Stand davor.}}",
  "plan.errors.show": "{count, plural, one {Zum Problem} other {Zum ersten Problem}}",
  "plan.offline": "Der Server ist nicht erreichbar. Die gespeicherten Daten werden geprüft, sobald er antwortet.",
  "plan.data.behind": "Die Datenbank wird noch gefragt. Das Folgende gilt für einen früheren Text.",
  "plan.outdated": "Inzwischen wurde Version {version, number} veröffentlicht. Ihr Entwurf beruht auf einer früheren.",
  "plan.update": "Entwurf aktualisieren",
  "plan.updated":
    "Ihr Entwurf beruht jetzt auf Version {version, number}.{collisions, plural, =0 {} one { 1 Stelle wurde in beiden geändert und hat Ihre Zeilen. Prüfen Sie sie im Plan.} other { # Stellen wurden in beiden geändert und haben Ihre Zeilen. Prüfen Sie sie im Plan.}}",
  "plan.before": "Vorher",
  "plan.now": "Jetzt",
  "plan.opened": "Neu offen: {statement}",
  "plan.closed": "Jetzt entschieden: {statement}",
  "plan.renames": "Umbenannt?",
  "plan.rename":
    "„{old}“ fehlt, und „{now}“ ist neu. Haben Sie es umbenannt? Dann geben Sie das an, und die Daten bleiben erhalten.",
  "plan.rename.in":
    "In {place} fehlt „{old}“, und „{now}“ ist neu. Haben Sie es umbenannt? Dann geben Sie das an, und die Daten bleiben erhalten.",
  "plan.rename.write": "Es hieß „{old}“",
  "plan.written": "In Zeile {line, number} geschrieben:",
  "plan.written.example":
    "Ersetzen Sie den markierten Wert, und veröffentlichen Sie dann den Entwurf. Ihre Notiz bleibt erhalten.",
  "plan.was": "Einträge mit „{value}“ erhalten:",
  "plan.convert": "Den bisherigen Text von „{field}“ umwandeln",
  "plan.fill": "„{field}“ einen Wert geben (fill)",
  "plan.one": "Einen der Werte von „{field}“ wählen (fill)",
  "plan.during": "Die Regel nur prüfen, wenn Einträge angelegt oder bearbeitet werden (during)",
  "plan.unwritten": "Das lässt sich nicht automatisch ergänzen. Schreiben Sie es in den Text.",
  "plan.misfits": "{count, plural, one {Den Eintrag zeigen} other {Die # Einträge zeigen}}",
  "plan.misfits.inside":
    "{count, plural, one {Den Eintrag mit diesen Zeilen zeigen} other {Die # Einträge mit diesen Zeilen zeigen}}",
  "plan.misfits.unread":
    "{count, plural, one {1 davon können Sie nicht sehen.} other {# davon können Sie nicht sehen.}}",
  "plan.misfits.hidden":
    "{count, plural, one {Diesen Eintrag können Sie nicht sehen.} other {Diese Einträge können Sie nicht sehen.}}",
  "plan.misfits.hidden.first": "Die ersten dieser Einträge können Sie nicht sehen.",
  "plan.misfits.first": "{count, plural, one {Den ersten Eintrag zeigen} other {Die ersten # Einträge zeigen}}",
  "plan.misfits.fixed":
    "{count, plural, one {Einen davon können Sie nicht bearbeiten.} other {# davon können Sie nicht bearbeiten.}}",
  "plan.misfits.permissions": "Ansehen, wer es kann",
  "plan.misfits.more": "{count, plural, one {Und 1 weiterer.} other {Und # weitere.}}",
  "plan.misfits.more.inside":
    "{count, plural, one {1 weitere Zeile ist nicht aufgeführt.} other {# weitere Zeilen sind nicht aufgeführt.}}",
  "plan.records.all":
    "{count, plural, one {Die Liste mit diesem Eintrag öffnen} other {Die Liste aller # Einträge öffnen}}",
  "plan.records.title": "Einträge im Plan",
  "plan.records.words":
    "Die Liste zeigt die Einträge, wie sie jetzt sind. Öffnen Sie einen Eintrag, um ihn zu ändern, und laden Sie danach diese Seite neu.",
  "plan.records.none": "Der Plan zählt hier keinen Eintrag, den Sie sehen können ({point}).",
  "plan.records.lost": "Auf diesem Gerät gibt es keinen Entwurf.",

  "behaviour.title": "Was sich ändert",
  "behaviour.parts": "{count, plural, one {Den Aufruf} other {Die # Aufrufe}} zeigen",
  "behaviour.none": "Nichts: Die Anwendung arbeitet wie bisher.",
  "behaviour.comparing": "Wird verglichen …",
  "behaviour.broken": "Einer der Texte hat Fehler. Texte mit Fehlern lassen sich nicht vergleichen.",
  "behaviour.possible": "möglich",
  "behaviour.example": "Zum Beispiel: {example}",
  "behaviour.allows": "Neu erlaubt",
  "behaviour.adds": "Neu",
  "behaviour.forbids": "Nicht mehr erlaubt",
  "behaviour.removes": "Entfernt",
  "behaviour.changes": "Geändert",
  "behaviour.loses.access": "Zugriff geht verloren",
  "behaviour.loses.data": "Daten werden stillgelegt",
  "behaviour.loses.compatibility": "Programme sind betroffen",
  "behaviour.today": "Heute:",
  "behaviour.records": "{count, plural, one {# Eintrag} other {# Einträge}}, soweit für Sie sichtbar",
  "behaviour.records.more": "mehr als {count, number} Einträge, soweit für Sie sichtbar",
  "behaviour.people": "{count, plural, one {# Person} other {# Personen}}",
  "behaviour.failed": "Die Texte konnten nicht verglichen werden",

  "replay.title": "Letzte Änderungen, mit dieser Version geprüft",
  "replay.words":
    "Sehen Sie, welche Änderungen {days, plural, one {des letzten Tages} other {der letzten # Tage}} dieser Entwurf abgelehnt hätte.",
  "replay.do": "Letzte Änderungen prüfen",
  "replay.running": "Änderungen {days, plural, one {des letzten Tages} other {der letzten # Tage}} werden geprüft …",
  "replay.failed": "Die letzten Änderungen konnten nicht geprüft werden",
  "replay.nothing":
    "In {days, plural, one {dem letzten Tag} other {den letzten # Tagen}} hat niemand einen Eintrag geändert.",
  "replay.refused":
    "Von {acts, plural, one {# Änderung} other {# Änderungen}} {days, plural, one {des letzten Tages} other {der letzten # Tage}} {refused, plural, =0 {wäre keine abgelehnt worden.} one {wäre # abgelehnt worden:} other {wären # abgelehnt worden:}}",
  "replay.allowed":
    "Von {refusals, plural, one {# abgelehnten Anfrage} other {# abgelehnten Anfragen}} {allowed, plural, one {würde # nicht mehr} other {würden # nicht mehr}} wegen fehlender Rechte oder des Zustands abgelehnt. Ihr Inhalt ist nicht gespeichert:",
  "replay.effects":
    "{effects, plural, one {# Wirkung oder automatischer Übergang wäre} other {# Wirkungen oder automatische Übergänge wären}} anders ausgefallen:",
  "replay.acts": "{acts, plural, one {#-mal:} other {#-mal:}}",
  "replay.by.forbidden": "Nicht erlaubt",
  "replay.by.removed": "Nicht mehr in der Spezifikation",
  "replay.by.required": "Ein Pflichtwert fehlt",
  "replay.by.state": "In diesem Zustand nicht möglich",
  "replay.examples": "Beispiele",
  "replay.did.create": "Anlegen: {thing}",
  "replay.did.update": "Bearbeiten: {thing}",
  "replay.did.delete": "Löschen: {thing}",
  "replay.did.transition": "{transition}: {thing}",
  "replay.gone": "(inzwischen gelöscht)",
  "replay.cut.acts":
    "Von jeder Art von Änderungen wurden nur die neuesten {acts, number} geprüft. Die älteste geprüfte Änderung ist von {at}.",
  "replay.cut.time":
    "Die Prüfung beginnt mit den neuesten Änderungen und endete nach {seconds, plural, one {# Sekunde} other {# Sekunden}}. Die älteste geprüfte Änderung ist von {at}.",
  "replay.cut.kinds": "Nur zum Teil geprüfte Arten von Änderungen",
  "replay.cut.kind": "{judged, number} von {changes, number} geprüft:",
  "replay.left": "Nicht oder nicht ganz geprüft",
  "replay.left.refused":
    "{acts, plural, one {# Änderung, die auch die aktive Version ablehnt:} other {# Änderungen, die auch die aktive Version ablehnt:}}",
  "replay.left.many":
    "{acts, plural, one {# Änderung:} other {# Änderungen:}} Die Klausel liest Einträge von {name}, und eine Prüfung liest höchstens {most, number} Einträge:",
  "replay.left.type":
    "{acts, plural, one {# Änderung:} other {# Änderungen:}} Die Werte von {name} hatten damals einen anderen Typ:",
  "replay.left.history":
    "{acts, plural, one {# Änderung:} other {# Änderungen:}} Die Klausel liest {name}, was nicht im Verlauf steht:",
  "replay.left.person":
    "{acts, plural, one {# Änderung} other {# Änderungen}} von Personen, deren damaliges Konto nicht bekannt ist.",
  "replay.left.record":
    "{acts, plural, one {# Änderung} other {# Änderungen}} an Einträgen, die für diese Zeit nicht bekannt sind.",
  "replay.left.entity":
    "{acts, plural, one {# Änderung} other {# Änderungen}}, für die es in der aktiven Version keine Entität oder keinen Übergang gibt:",
  "replay.left.values":
    "{acts, plural, one {# Änderung:} other {# Änderungen:}} Die neue Version setzt andere Werte; Regeln wurden mit den damaligen Werten geprüft:",
  "replay.left.records":
    "{acts, plural, one {# Änderung:} other {# Änderungen:}} Eine Regel kann auch in anderen Einträgen verletzt sein; nur die geschriebenen wurden geprüft:",
  "replay.left.content":
    "{acts, plural, one {# abgelehnte Anfrage} other {# abgelehnte Anfragen}}, deren Rechte vom Inhalt abhängen:",

  "try.title": "Mit einer Kopie ausprobieren",
  "try.words":
    "Eine Vorschau führt diesen Entwurf mit einer Kopie der Daten unter einer eigenen Adresse aus. Sie verschickt nichts und endet nach einem Tag.",
  "try.mask": "Persönliche Angaben durch erfundene ersetzen",
  "try.start": "Mit einer Kopie ausprobieren",
  "try.failed": "Die Vorschau konnte nicht gestartet werden",
  "try.failed.link": "Der Link konnte nicht erstellt werden",
  "try.failed.end": "Die Vorschau konnte nicht beendet werden",
  "try.list": "Vorschauen",
  "try.item":
    "{data, select, copy {Kopie der Daten von Version {base}} masked {Kopie der Daten von Version {base} mit erfundenen persönlichen Angaben} other {Beispieldaten}}, bis {until}",
  "try.copying": "Die Daten werden kopiert, bisher {size} MB",
  "try.link": "Link holen",
  "try.open": "Vorschau öffnen",

  "publishing.title": "Laufende Veröffentlichung",
  "publishing.running": "Eine Version wird veröffentlicht",
  "publishing.paused": "Die Veröffentlichung ist angehalten",
  "publishing.failed": "Die Veröffentlichung ist fehlgeschlagen",
  "publishing.abandoning": "Die Veröffentlichung wird abgebrochen",
  "publishing.checking": "Text und gespeicherte Daten werden geprüft. Sie ist noch nicht aktiv.",
  "publishing.expand": "Tabellen werden vorbereitet",
  "publishing.backfill": "Einträge werden ausgefüllt",
  "publishing.validate": "Einträge werden geprüft und Indizes angelegt",
  "publishing.switch": "Die Version wird aktiv",
  "publishing.retire": "Aufräumen",
  "publishing.time": "Bisher {minutes, plural, =0 {} other {# min }}{seconds} s.",
  "publishing.meanwhile": "Alle arbeiten mit der aktiven Version weiter.",
  "publishing.live": "Die Version ist aktiv.",
  "publishing.records": "{done, number} von {total, number} Einträgen",
  "publishing.record": "Eintrag {number, number}",
  "publishing.pause": "Anhalten",
  "publishing.resume": "Fortsetzen",
  "publishing.abandon": "Veröffentlichung abbrechen",
  "publishing.unchanged":
    "{act, select, pause {Die Veröffentlichung konnte nicht angehalten werden} resume {Die Veröffentlichung konnte nicht fortgesetzt werden} other {Die Veröffentlichung konnte nicht abgebrochen werden}}",
  "publishing.begun": "Die Veröffentlichung hat begonnen. Sie können sie hier verfolgen.",

  "proposals.words": "Vorgeschlagene Änderungen der Spezifikation. Die letzte Genehmigung veröffentlicht sie.",
  "proposals.none": "Noch keine Vorschläge. Bearbeiten Sie die Spezifikation, und schlagen Sie Ihre Änderung vor.",

  "proposal.number": "Vorschlag {number, number}",
  "proposal.state.open": "Offen",
  "proposal.state.approved": "Genehmigt",
  "proposal.state.outdated": "Veraltet",
  "proposal.state.rejected": "Abgelehnt",
  "proposal.state.withdrawn": "Zurückgezogen",
  "proposal.state.published": "Veröffentlicht",
  "proposal.by.file": "Aus einer Datei auf dem Server",
  "proposal.by.operator": "Betreiber (Befehlszeile)",
  "proposal.by.gone": "Von einem gelöschten Konto",
  "proposal.approvals": "{count, number} von {needs, plural, one {1 Genehmigung} other {# Genehmigungen}}",
  "proposal.approve": "Genehmigen",
  "proposal.publish": "Genehmigen und veröffentlichen",
  "proposal.reject": "Ablehnen",
  "proposal.withdraw": "Zurückziehen",
  "proposal.reopen": "Wieder öffnen",
  "proposal.comment": "Kommentieren",
  "proposal.comment.label": "Ihr Kommentar",
  "proposal.own": "Sie haben diese Änderung vorgeschlagen oder bearbeitet. Daher muss sie jemand anderes genehmigen.",
  "approvers.people":
    "{needs, plural, one {Eine Genehmigung genügt, von {names}.} other {Diese Änderung braucht # Genehmigungen. Genehmigen können: {names}.}}",
  "approvers.few":
    "Diese Änderung braucht {needs, number} Genehmigungen, aber derzeit können sie nur genehmigen: {names}. Die Administration muss weiteren Personen eine dieser Rollen geben: {roles}.",
  "approvers.none":
    "Derzeit kann niemand sonst diese Änderung genehmigen. Die Administration muss jemandem eine dieser Rollen geben: {roles}.",
  "proposal.outdated": "Seitdem wurde eine andere Version veröffentlicht. Die Änderungen widersprechen sich nicht.",
  "proposal.outdated.others": "Wer Änderungen vorschlagen kann, kann ihn auf den neuesten Stand bringen.",
  "proposal.edit.loses": "Wenn Sie diesen Vorschlag bearbeiten, muss ihn jemand anderes genehmigen.",
  "proposal.rebase.loses": "Wenn Sie das tun, muss jemand anderes ihn genehmigen.",
  "proposal.collides":
    "{count, plural, one {Seitdem wurde Version {version, number} veröffentlicht, und sie hat eine Stelle geändert, die auch Ihr Vorschlag ändert. Wählen Sie „Bearbeiten“, bringen Sie den Entwurf auf den neuesten Stand, und schlagen Sie den Text wieder vor.} other {Seitdem wurde Version {version, number} veröffentlicht, und sie hat # der Stellen geändert, die auch Ihr Vorschlag ändert. Wählen Sie „Bearbeiten“, bringen Sie den Entwurf auf den neuesten Stand, und schlagen Sie den Text wieder vor.}}",
  "proposal.collisions": "Klauseln, die beide geändert haben",
  "proposal.edit": "Bearbeiten",
  "proposal.edit.opened": "Der Entwurf ist jetzt der Text von Vorschlag {number, number}.",
  "proposal.edit.closed": "Dieser Vorschlag kann nicht mehr bearbeitet werden.",
  "proposal.editing": "Text von Vorschlag {number, number}",
  "proposal.replace": "Text von Vorschlag {number, number} ersetzen",
  "proposal.propose.new": "Als neuen vorschlagen",
  "proposal.replaced": "Vorschlag {number, number} hat den neuen Text. Er braucht neue Genehmigungen.",
  "proposal.rebase": "Auf den neuesten Stand bringen",
  "proposal.failed": "Der Vorschlag konnte nicht geändert werden",
  "proposal.propose.failed": "Der Entwurf konnte nicht vorgeschlagen werden",
  "proposal.decision": "Entscheidung",
  "proposal.history": "Verlauf",
  "proposal.did.proposed": "Hat diese Änderung vorgeschlagen",
  "proposal.did.changed": "Hat den Text geändert (Text {revision, number})",
  "proposal.did.commented": "Hat kommentiert",
  "proposal.did.approved": "Hat Text {revision, number} genehmigt",
  "proposal.did.rejected": "Hat diese Änderung abgelehnt",
  "proposal.did.withdrawn": "Hat diese Änderung zurückgezogen",
  "proposal.did.reopened": "Hat diesen Vorschlag wieder geöffnet",
  "proposal.propose.draft": "Vorschlagen …",
  "proposal.propose.title": "Diesen Entwurf vorschlagen?",
  "proposal.propose": "Vorschlagen",
  "proposal.proposed":
    "Sie haben die Änderung vorgeschlagen. Die Personen, die sie genehmigen können, wurden benachrichtigt.",

  "versions.approved": "Genehmigt von {names}",
  "versions.words":
    "Alle veröffentlichten Versionen der Spezifikation, die neueste zuerst. Beim Wiederherstellen wird der Text als neue Version veröffentlicht.",
  "versions.none": "Noch keine Versionen.",
  "versions.number": "Version {number, number}",
  "versions.live": "Aktiv",
  "versions.by.start": "Vom Betreiber veröffentlicht",
  "versions.restores": "Text von Version {number, number}",
  "versions.steps": "{count, plural, one {# Änderung an der Datenbank} other {# Änderungen an der Datenbank}}",
  "versions.summary.none": "Für die Nutzer hat sich nichts geändert.",
  "versions.summary.more": "{count, plural, one {# weitere Änderung} other {# weitere Änderungen}}",
  "versions.compare": "Vergleichen",
  "versions.restore": "Wiederherstellen …",
  "versions.draft": "Zuerst als Entwurf bearbeiten",
  "versions.draft.opened": "Der Entwurf ist jetzt der Text von Version {number, number}.",
  "versions.draft.failed": "Version {number, number} konnte nicht geladen werden.",
  "versions.restore.title": "Version {number, number} wiederherstellen?",
  "versions.restore.words":
    "Der Text von Version {number, number} wird zur neuesten Version. Alle anderen Versionen bleiben erhalten.",

  "compare.draft": "Ihr Entwurf",
  "compare.draft.none": "Auf diesem Gerät gibt es keinen Entwurf.",
  "compare.title": "Versionen vergleichen",
  "compare.from": "Vorher",
  "compare.to": "Nachher",
  "compare.swap": "Tauschen",
  "compare.same": "Diese Versionen haben denselben Text.",
  "compare.added": "{count, plural, one {# Zeile hinzugefügt} other {# Zeilen hinzugefügt}}",
  "compare.removed": "{count, plural, one {# Zeile entfernt} other {# Zeilen entfernt}}",
  "compare.unchanged": "{count, plural, one {# unveränderte Zeile anzeigen} other {# unveränderte Zeilen anzeigen}}",
  "compare.line.added": "Hinzugefügt:",
  "compare.line.removed": "Entfernt:",

  "retired.title": "Stillgelegte Daten",
  "retired.words":
    "Felder und Entitäten, die die Spezifikation nicht mehr hat. Ihre Werte bleiben, bis Sie sie löschen. Auch Werte, die eine Version ersetzt hat, bleiben erhalten und kehren zurück, wenn Sie zurückgehen.",
  "retired.none": "Keine stillgelegten Daten",
  "retired.records": "{count, plural, one {Werte in 1 Eintrag} other {Werte in # Einträgen}}",
  "retired.records.more": "Werte in mehr als {count, number} Einträgen",
  "retired.since": "Stillgelegt durch Version {version, number}",
  "retired.sample.failed": "Die Werte konnten nicht geladen werden",
  "retired.sample.unread":
    "Die Werte werden nicht gezeigt, weil Sie vor der Stilllegung nicht alle sehen konnten. Holen Sie sie zurück, um zu sehen, was die Spezifikation Ihnen erlaubt.",
  "retired.sample.gone":
    "Die Werte werden nicht gezeigt, weil die Spezifikation {entity} nicht mehr hat. Holen Sie zuerst diese Entität zurück.",
  "retired.back": "Zurückholen",
  "retired.not.written":
    "Die früheren Zeilen lassen sich nicht automatisch ergänzen. Beheben Sie die Fehler Ihres Entwurfs, oder übernehmen Sie die Zeilen aus dem Vergleich.",
  "retired.export": "Werte exportieren",
  "retired.delete": "Endgültig löschen …",
  "retired.delete.title": "{name} endgültig löschen?",
  "retired.delete.words":
    "{count, plural, one {Die Werte von 1 Eintrag werden} other {Die Werte von # Einträgen werden}} aus der Datenbank gelöscht. Keine Version kann sie zurückholen.",
  "retired.delete.words.more":
    "Die Werte von mehr als {count, number} Einträgen werden aus der Datenbank gelöscht. Keine Version kann sie zurückholen.",
  "retired.delete.export": "Vielleicht brauchen Sie sie später. Exportieren Sie sie zuerst:",
  "retired.delete.unread":
    "Sie können diese Werte hier nicht exportieren, weil Sie nicht alle lesen können. Um eine Kopie zu behalten, führen Sie stattdessen auf dem Server aus:",
  "retired.delete.type": "Geben Sie zur Bestätigung {name} ein",
  "retired.delete.now": "Endgültig löschen",
  "retired.delete.failed": "Die Werte konnten nicht gelöscht werden",
  "retired.deleted": "{name} wurde endgültig gelöscht",
} satisfies TextsLike<typeof english>;
