import type { TextsLike } from "../../catalogue.ts";
import type { migrationArguments } from "../../change-arguments/migration.ts";

export const texts = {
  // Steps of a migration
  "step.optional": "{clause}: kein Pflichtfeld mehr",
  "step.required": "{clause}: zum Pflichtfeld machen",
  "step.computed.removed": "{clause}: die berechnete Spalte entfernen",
  "step.plain": "{clause}: die berechneten Werte behalten und Eingaben erlauben",
  "step.recompute": "{clause}: neu berechnen",
  "step.several": "{clause}: mehrere Werte erlauben",
  "step.one": "{clause}: nur noch einen Wert erlauben",
  "step.table": "{clause}: die Tabelle {name} anlegen",
  "step.column": "{clause}: die Spalte {name} hinzufügen",
  "step.reference": "{clause}: einen Verweis auf {table} hinzufügen",
  "step.index": "{clause}: den Index {name} hinzufügen",
  "step.index.rebuild": "{clause}: den Index {name} neu aufbauen",
  "step.index.later": "{clause}: den Index {name} im Hintergrund neu aufbauen",
  "step.index.removed": "{clause}: den unbenutzten Index {name} entfernen",
  "step.check": "{clause}: eine Prüfung der Datenbank hinzufügen",
  "step.check.changed": "{clause}: die Prüfung der Datenbank ändern",
  "step.check.removed": "{clause}: die Prüfung der Datenbank entfernen",
  "step.value.removed": "{clause}: {value} entfernen",
  "step.numbered":
    "{clause}: {rows, plural, one {1 Eintrag} other {# Einträge}} in der Reihenfolge der Erstellung nummerieren",
  "step.filled": "{clause}: {rows, plural, one {1 Eintrag} other {# Einträge}} ausfüllen",
  "step.converted": "{clause}: die Werte umwandeln ({rows, plural, one {1 Eintrag} other {# Einträge}})",
  "step.restored": "{clause}: die früheren Werte wiederherstellen ({rows, plural, one {1 Eintrag} other {# Einträge}})",
  "step.unfilled": "{clause}: den Wert von „fill“ entfernen ({rows, plural, one {1 Eintrag} other {# Einträge}})",
  "step.replaced":
    "{clause}: den Wert durch den von „fill“ ersetzen ({rows, plural, one {1 Eintrag} other {# Einträge}}); die bisherigen Werte bleiben erhalten",
  "step.dangling":
    "{clause}: Verweise auf gelöschte Einträge entfernen ({rows, plural, one {1 Eintrag} other {# Einträge}})",
  "step.bound":
    "{clause}: {which, select, max {höchstens} other {mindestens}} {bound}{characters, select, true { Zeichen} other {}} erlauben",
  "kept.values":
    "{rows, plural, =0 {Kein Eintrag hat einen Wert} one {Die Werte von 1 Eintrag bleiben als stillgelegte Daten erhalten} other {Die Werte von # Einträgen bleiben als stillgelegte Daten erhalten}}",
  "kept.records":
    "{rows, plural, =0 {Es gibt keine Einträge} one {1 Eintrag bleibt als stillgelegte Daten erhalten} other {# Einträge bleiben als stillgelegte Daten erhalten}}",
  "step.removed": "{clause}: entfernen. {kept}",
  "step.retyped": "{clause}: von {from} zu {to} ändern. {kept}",
  "step.retyped.text":
    "{clause}: von {from} zu {to} ändern. {kept}. Um diese Werte umzuwandeln, ergänzen Sie „{was}“ und „{fill}“",
  "type.computed": "berechnet",
  "type.reference": "ein Verweis auf {to}",
  "step.derived": "{clause}: die Einträge aus anderen ableiten. {kept}",
  "step.table.back": "{clause}: zurückholen mit {rows, plural, one {1 Eintrag} other {# Einträgen}}",
  "step.column.back": "{clause}: zurückholen mit den Werten von {rows, plural, one {1 Eintrag} other {# Einträgen}}",
  "step.column.gets": "{clause} erhält die Spalte {name}",
  "step.stale":
    "{clause}: {rows, plural, one {1 Eintrag wurde} other {# Einträge wurden}} in diesem Feld geändert, seit es zuletzt diesen Typ hatte. Die seither eingegebenen Werte bleiben als stillgelegte Daten erhalten, und die früheren kommen zurück",
  "step.merged":
    "{clause}: {old} entfernen. {rows, plural, =0 {Kein Eintrag hat es} one {1 Eintrag erhält {now}} other {# Einträge erhalten {now}}}",
  "step.renamed":
    "{clause}: {old} in {now} umbenennen{of, select, entity {; die Einträge und ihr Verlauf bleiben erhalten} field {; die Werte bleiben erhalten} value {; die Einträge mit diesem Wert ändern sich} record {; der Eintrag bleibt erhalten} role {; die Rolle bleibt allen erhalten} other {}}",
  "step.value.renamed":
    "{clause}: {old} in {now} umbenennen; {rows, plural, =0 {kein Eintrag hat diesen Wert} one {1 Eintrag ändert sich} other {# Einträge ändern sich}}",
  "step.record.added": "{clause}: den Eintrag anlegen",
  "step.record.changed": "{clause}: {fields} ändern",
  "step.record.edited": "{clause}: den Eintrag nicht mehr anbieten; er bleibt erhalten, weil ihn jemand bearbeitet hat",
  "step.record.used":
    "{clause}: den Eintrag nicht mehr anbieten; er bleibt erhalten, weil andere Einträge ihn verwenden",
  "step.record.deleted": "{clause}: den Eintrag löschen; kein anderer Eintrag verwendet ihn",
  "step.searches":
    "Suchen lesen ganze Tabellen, weil der Datenbank die Erweiterung pg_trgm fehlt und ihr Eigentümer sie nicht anlegen kann",
  "step.stopped":
    "Der Versuch endete nach {seconds} Sekunden, weil sich viele Einträge ändern oder jemand sie gerade benutzt. Beim Veröffentlichen wird der Rest geprüft.",
  "step.checked.later":
    "Einige gespeicherte Einträge lassen sich erst beim Veröffentlichen prüfen. Wenn sie nicht passen, bleibt die aktuelle Version aktiv.",
  "step.time":
    "Das Veröffentlichen dauert etwa {minutes, plural, =0 {{seconds, plural, one {1 Sekunde} other {# Sekunden}}} one {1 Minute} other {# Minuten}}, während alle weiterarbeiten können",
  "step.pause":
    "{name}: Wenn die Version aktiv wird, kann etwa {minutes, plural, =0 {{seconds, plural, one {1 Sekunde} other {# Sekunden}}} one {1 Minute} other {# Minuten}} lang niemand die Einträge sehen oder bearbeiten",
  "step.pause.prepared":
    "{name}: Während die Version vorbereitet wird, kann einmal etwa {minutes, plural, =0 {{seconds, plural, one {1 Sekunde} other {# Sekunden}}} one {1 Minute} other {# Minuten}} lang niemand die Einträge sehen oder bearbeiten",

  // Refusals of a migration
  "refused.required.added":
    "{clause} kann nicht als Pflichtfeld hinzukommen: {rows, plural, one {1 Eintrag hat} other {# Einträge haben}} keinen Wert dafür. Machen Sie es optional oder geben Sie mit „fill:“ ihren Wert an.",
  "refused.required.retyped":
    "{clause} bekommt einen anderen Typ, und der Text in {rows, plural, one {1 Eintrag} other {# Einträgen}} wird nicht automatisch umgewandelt. Machen Sie es optional oder ergänzen Sie „{was}“ und „{fill}“.",
  "refused.required":
    "{clause} kann kein Pflichtfeld werden: {rows, plural, one {1 Eintrag hat} other {# Einträge haben}} keinen Wert dafür. {filled, select, true {„fill“ gibt ihnen keinen.} other {Geben Sie mit „fill:“ ihren Wert an.}}",
  "refused.one":
    "{clause} kann nicht auf einen Wert beschränkt werden: {rows, plural, one {1 Eintrag hat} other {# Einträge haben}} {required, select, true {mehrere Werte oder keinen} other {mehrere Werte}}. Korrigieren Sie {rows, plural, one {ihn} other {sie}}, oder wählen Sie mit „was“ und „fill“ einen Wert aus.",
  "refused.unique":
    "{clause} kann nicht eindeutig werden: {rows, plural, one {1 Wert kommt} other {# Werte kommen}} mehrfach vor. Korrigieren Sie die Einträge, oder vergleichen Sie in einer Regel mit „unique“ und „where“ nur einen Teil davon.",
  "refused.unique.any": "{clause} kann nicht eindeutig werden.",
  "refused.pairs":
    "{clause} kann nicht in Kraft treten: Einige gespeicherte Einträge {same, select, true {haben die gleichen Werte} other {überschneiden sich}}. Korrigieren Sie diese Einträge, oder vergleichen Sie mit „where“ nur einen Teil davon.",
  "refused.value":
    "{clause} erlaubt {value} nicht mehr, aber {rows, plural, one {1 Eintrag hat} other {# Einträge haben}} diesen Wert. Geben Sie „was: {value}“ bei dem Wert an, den sie erhalten, zum Beispiel „{example}“.",
  "refused.words":
    "{clause} kann keine Auswahl werden: {rows, plural, one {1 Eintrag hat einen anderen Wert} other {# Einträge haben andere Werte}}. Korrigieren Sie {rows, plural, one {ihn} other {sie}}, oder geben Sie mit „was“ und „fill“ an, welchen Wert {rows, plural, one {er erhält} other {sie erhalten}}.",
  "refused.words.state":
    "{clause} kann nicht in Kraft treten: {rows, plural, one {1 Eintrag hat} other {# Einträge haben}} einen Wert, der kein Name eines Zustands ist. Korrigieren Sie {rows, plural, one {ihn} other {sie}}, ergänzen Sie die fehlenden Zustände, oder geben Sie dem Zustandsfeld einen anderen Namen.",
  "refused.violates":
    "{clause} kann nicht in Kraft treten: {rows, plural, one {1 gespeicherter Eintrag verstößt} other {# gespeicherte Einträge verstoßen}} dagegen. Korrigieren Sie {rows, plural, one {ihn} other {sie}}, oder prüfen Sie die Regel nur bei manchen Änderungen: „during: [create, update]“.",
  "refused.unfit":
    "{what}: Das kann nicht in Kraft treten, weil {rows, plural, one {1 gespeicherter Eintrag} other {# gespeicherte Einträge}} nicht dazu {rows, plural, one {passt} other {passen}}.",
  "refused.bound":
    "{clause} kann nicht auf {which, select, max {höchstens} other {mindestens}} {bound}{characters, select, true { Zeichen} other {}} begrenzt werden: {characters, select, true {{rows, plural, one {1 Eintrag ist} other {# Einträge sind}} {which, select, max {länger} other {kürzer}}} other {{rows, plural, one {1 Eintrag hat} other {# Einträge haben}} einen {which, select, max {höheren} other {niedrigeren}} Wert}}. {filled, select, true {„fill“ ergibt keinen passenden Wert.} other {Korrigieren Sie {rows, plural, one {ihn} other {sie}}, oder ergänzen Sie „fill:“ mit einem passenden Wert.}}",
  "refused.dangling":
    "{clause} kann nicht als Pflichtfeld zurückgeholt werden: {rows, plural, one {1 Eintrag verweist} other {# Einträge verweisen}} auf einen gelöschten Eintrag. Machen Sie es zuerst optional.",
  "refused.other.type":
    "{clause}: „was“ sagt, dass {name} {said} war, aber es ist {is}. Geben Sie den Typ an, den es in der aktuellen Version hat.",
  "former.value": "dem früheren Wert",
  "refused.converted":
    "{clause} kann nicht umgewandelt werden: In {rows, plural, one {1 Eintrag} other {# Einträgen}} ergibt sich kein Wert aus {names}. Berichtigen Sie {rows, plural, one {ihn} other {sie}} oder geben Sie mit „fill“ den Wert an.",
  "refused.converted.reference":
    "{clause} kann nicht umgewandelt werden: „fill“ findet für {rows, plural, one {1 Eintrag} other {# Einträge}} keinen Eintrag, auf den verwiesen werden kann. Eine Version legt keine Einträge an: Veröffentlichen Sie zuerst die Entität und legen Sie die fehlenden Einträge an, oder geben Sie mit „fill“ einen vorhandenen an.",
  "refused.computed":
    "{clause} kann für 1 Eintrag nicht berechnet werden: {problem}. Berichtigen Sie den Eintrag und setzen Sie den Vorgang dann fort.",
  "refused.foreign.table":
    "Die Tabelle {name} im Schema app stammt nicht von Ninefold. Verschieben Sie sie in ein anderes Schema.",
  "refused.foreign.column":
    "Die Spalte {name} der Tabelle {table} stammt nicht von Ninefold. Entfernen Sie sie oder fügen Sie ein Feld dafür hinzu.",
  "refused.record":
    "{clause} kann mit den Werten der Spezifikation nicht gespeichert werden: {same, select, true {Ein anderer Eintrag hat den gleichen Wert} other {Eine Regel der Entität wird verletzt}} ({constraint}).",
  "refused.full":
    "Die Datenbank hat keinen Platz mehr ({problem}). Schaffen Sie Platz und setzen Sie den Vorgang dann fort.",
  "refused.almost.full":
    "Auf dem Datenträger der Datenbank sind weniger als {megabytes} MB frei. Die bisherige Version gilt weiter. Schaffen Sie Platz und setzen Sie den Vorgang dann fort.",
  "refused.superseded": "Inzwischen wurde eine andere Version veröffentlicht.",

  // Refusals of a preview
  "preview.full":
    "Für eine Kopie der Datenbank ist nicht genug Platz auf dem Datenträger. Schaffen Sie Platz und versuchen Sie es noch einmal.",
  "preview.ended": "Die Vorschau wurde beendet, während die Daten kopiert wurden. Starten Sie sie noch einmal.",
  "preview.forbidden":
    "Die Datenbankrolle darf die Kopie nicht anlegen. Erlauben Sie ihr, Datenbanken anzulegen: alter role … createdb.",
  "preview.unfit":
    "Die Kopie passt nicht zur Spezifikation. Bei erfundenen persönlichen Angaben kann eine Regel einen Wert verbieten. Versuchen Sie es ohne erfundene Angaben, oder kennzeichnen Sie Felder, die eine Regel vergleicht, nicht als persönlich.",
  "preview.away": "Die Datenbank antwortet nicht. Versuchen Sie es später noch einmal.",
  "preview.broken": "Die Vorschau konnte nicht gestartet werden. Der Grund steht im Protokoll des Servers.",
} satisfies TextsLike<typeof migrationArguments>;
