import type { ErrorTexts } from "../catalogue.ts";

export const texts = {
  NOT_SIGNED_IN: "Sie sind nicht angemeldet. Melden Sie sich an und versuchen Sie es erneut.",
  BAD_CREDENTIALS: "E-Mail-Adresse oder Passwort ist falsch.",
  NOT_FOUND: "Diesen Eintrag gibt es nicht oder Sie haben keinen Zugriff darauf.",
  NO_SUCH_CALL: "Diese Adresse gibt es nicht.",
  FORBIDDEN: "Dazu sind Sie nicht berechtigt.",
  NOT_YOURS_TO_WRITE: "Sie können „{field}“ nicht bearbeiten.",
  FOREIGN_ORIGIN: "Die Anfrage kam von einer anderen Website und wurde abgelehnt.",
  CHANGED_MEANWHILE: "Dieser Eintrag wurde inzwischen geändert. Laden Sie ihn neu und versuchen Sie es erneut.",
  MALFORMED: "Der Server kann diese Anfrage nicht lesen. Prüfen Sie das Format.",
  BAD_QUERY: "Die Adresse ist ungültig: {detail}.",
  BAD_PATH: "Die Adresse enthält einen Wert, der nicht die richtige Form hat.",
  BAD_CURSOR: "Diese Seitenmarke gehört zu einer anderen Liste. Beginnen Sie wieder mit der ersten Seite.",
  REQUIRED: "„{field}“ ist erforderlich.",
  WRONG_TYPE: "„{field}“ muss {type} sein.",
  TOO_SHORT: "„{field}“ muss mindestens {min} Zeichen haben.",
  TOO_LONG: "„{field}“ darf höchstens {max} Zeichen haben.",
  TOO_SMALL: "„{field}“ muss mindestens {min} sein.",
  TOO_LARGE: "„{field}“ darf höchstens {max} sein.",
  NOT_A_CHOICE: "„{field}“ muss {choices} sein.",
  UNKNOWN_FIELD: "Das Feld „{field}“ gibt es nicht.",
  NO_SUCH_FILE:
    "Die Datei in „{field}“ wurde nicht innerhalb des letzten Tages hochgeladen. Laden Sie sie erneut hoch.",
  NO_SUCH_PICTURE:
    "Das Bild in „{field}“ muss eine PNG-, JPEG-, GIF-, WebP- oder AVIF-Datei sein, die Sie innerhalb des letzten Tages hochgeladen haben. Laden Sie es erneut hoch.",
  NOT_IN_ZIP:
    "Die ZIP-Datei enthält keine Datei „{file}“ für „{field}“. Ergänzen Sie sie oder korrigieren Sie den Namen.",
  SEVERAL_IN_ZIP:
    "Mehrere Dateien der ZIP-Datei heißen „{file}“. Schreiben Sie den Namen in „{field}“ mit seinem Ordner.",
  UNREADABLE_IN_ZIP:
    "Die Datei „{file}“ für „{field}“ ist verschlüsselt oder beschädigt. Fügen Sie sie der ZIP-Datei erneut hinzu, ohne Passwort.",
  NO_SUCH_REFERENCE: "Den Eintrag in „{field}“ gibt es nicht oder Sie haben keinen Zugriff darauf.",
  ROW_REFUSED: "„{text}“ steht in Zeile {row}, die abgelehnt wird. Korrigieren Sie zuerst diese Zeile.",
  ROWS_IN_CIRCLE:
    "„{field}“ führt im Kreis durch diese Zeilen: {rows}. Lassen Sie das Feld in einer von ihnen leer und ergänzen Sie es mit einem zweiten Import.",
  NO_SUCH_PART: "Diese Zeile gibt es nicht oder Sie haben keinen Zugriff darauf.",
  PART_TWICE: "Diese Zeile steht schon in der Liste.",
  TOO_MANY_PARTS: "„{field}“ darf höchstens {max} enthalten.",
  NOT_AMONG: "Wählen Sie für „{field}“ einen anderen Wert.",
  NO_WAY_TO_STATE: "Kein Übergang, den Personen ausführen, führt von „{from}“ zu „{to}“.",
  KEY_REUSED: "Dieser Idempotency-Key wurde schon für eine andere Anfrage verwendet. Verwenden Sie einen neuen.",
  PASSWORD_LENGTH: "Ein Passwort muss {min} bis {max} Zeichen haben.",
  PASSWORD_WEAK: "Dieses Passwort ist zu schwach. Wählen Sie ein anderes.",
  PASSWORD_UNCHANGED: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
  WRONG_PASSWORD: "Das Passwort ist falsch.",
  SIGN_IN_AGAIN:
    "Dafür muss Ihre Anmeldung kürzer zurückliegen. Melden Sie sich ab und wieder an und versuchen Sie es erneut.",
  LINK_USED: "Dieser Link wurde schon benutzt oder ist abgelaufen.",
  INVALID: "Beheben Sie die genannten Probleme.",
  WRONG_STATE: "Das ist in diesem Zustand nicht möglich: {state}.",
  TAKEN: "„{field}“ ist schon vergeben.",
  IN_USE: "Löschen nicht möglich: Andere Einträge verwenden ihn noch.",
  LAST_ADMINISTRATOR: "Dies ist das letzte Konto der Administration. Fügen Sie zuerst ein weiteres hinzu.",
  ACCOUNT_INACTIVE: "Dieses Konto ist nicht aktiv.",
  NOT_ONE: "Genau ein Eintrag aus „{things}“ muss passen, es passt aber keiner oder mehrere.",
  GUARD: "Das ist im Moment nicht möglich.",
  NEEDS_ANOTHER_PERSON: "Sie haben das schon getan. Jetzt ist eine andere Person nötig.",
  DEPUTY_ONESELF: "Sie können sich nicht selbst vertreten.",
  DEPUTY_DATES: "Der letzte Tag liegt vor dem ersten.",
  DEPUTY_TOO_LONG: "So lange kann niemand Sie vertreten.",
  DEPUTY_TWICE:
    "An einigen dieser Tage vertritt Sie schon jemand. Wählen Sie andere Tage, oder beenden Sie zuerst die andere Vertretung.",
  DOCUMENT_INVALID: "Die Spezifikation hat Fehler. Beheben Sie sie und versuchen Sie es erneut.",
  DOCUMENT_CHANGED: "Die Spezifikation wurde inzwischen geändert. Laden Sie sie neu und versuchen Sie es erneut.",
  CHANGE_REFUSED: "Veröffentlichen nicht möglich: Gespeicherte Daten passen nicht dazu.",
  DOCUMENT_FIXED: "Sie können die Spezifikation hier nicht bearbeiten: {detail}.",
  TOO_MANY_PREVIEWS: "Es gibt schon {most} Vorschauen. Beenden Sie eine davon und versuchen Sie es noch einmal.",
  NO_PREVIEWS: "Sie können hier keine Vorschau starten: {detail}.",
  PREVIEW_SENDS_NOTHING: "Eine Vorschau verschickt nie etwas.",
  ALREADY_PUBLISHING:
    "Eine andere Version wird gerade veröffentlicht. Warten Sie, bis sie aktiv ist, oder brechen Sie ihre Veröffentlichung ab.",
  PUBLISHING_ENDED: "Diese Version wird nicht mehr veröffentlicht. Laden Sie die Seite neu.",
  SOON_UNIQUE:
    "Eine Version, die gerade veröffentlicht wird, erlaubt diesen Wert nicht zweimal. Geben Sie einen anderen ein.",
  NEEDS_APPROVAL: "Diese Änderung muss genehmigt werden. Schlagen Sie sie vor.",
  OWN_PROPOSAL: "Sie haben diese Änderung vorgeschlagen oder bearbeitet. Daher muss sie jemand anderes genehmigen.",
  PROPOSAL_CHANGED: "Jemand hat diesen Vorschlag inzwischen geändert oder entschieden. Laden Sie die Seite neu.",
  PROPOSAL_TOO_LARGE:
    "Ein Vorschlag darf höchstens 1.000.000 Zeichen haben. Kürzen Sie die Spezifikation, oder veröffentlichen Sie sie mit „ninefold apply“.",
  TOO_MANY_PROPOSALS:
    "Sie können in 24 Stunden höchstens {most} Texte und Kommentare von Vorschlägen speichern. Versuchen Sie es morgen noch einmal.",
  FILE_TOO_LARGE: "Eine Datei darf höchstens {max} groß sein.",
  TOO_MUCH: "Das ist zu viel für eine Anfrage. Senden Sie weniger auf einmal.",
  FILE_LOST: "Diese Datei fehlt oder ist beschädigt. Die Administration kann sie aus einer Sicherung wiederherstellen.",
  TOO_MANY_FILES:
    "Sie haben viele Dateien hochgeladen, die noch zu keinem Eintrag gehören. Speichern Sie zuerst die Einträge und versuchen Sie es dann erneut.",
  UNSUPPORTED: "Dieses Format wird nicht unterstützt. Senden Sie JSON.",
  TOO_MANY_ATTEMPTS: "Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es erneut.",
  NOT_A_TABLE:
    "Die Datei enthält keine Tabelle. Eine Tabelle hat eine Kopfzeile und mindestens eine Zeile. Speichern Sie sie als CSV oder XLSX.",
  QUOTE_NOT_CLOSED:
    "Das Anführungszeichen in Zelle {cell} wird nie geschlossen. Deshalb lassen sich die Zeilen danach nicht lesen. Schließen oder löschen Sie es.",
  NOT_ONE_TABLE:
    "Die ZIP-Datei muss genau eine Tabelle (CSV, TSV oder XLSX) außerhalb von Ordnern enthalten. Verschieben Sie die übrigen Dateien in einen Ordner.",
  TABLE_TOO_LARGE:
    "{detail} Eine Tabelle kann höchstens {rows} Zeilen, {columns} Spalten und {max} haben. Teilen Sie die Datei.",
  TOO_MUCH_IN_ZIP:
    "Die ZIP-Datei enthält mehr, als sich auf einmal importieren lässt. Teilen Sie sie und importieren Sie einen Teil nach dem anderen.",
  IMPORT_TOUCHED:
    "Einige importierte Einträge wurden seitdem geändert oder gelöscht ({count}). Deshalb lässt sich der Import nicht rückgängig machen. Ändern Sie diese Einträge von Hand.",
  IMPORT_BUSY: "Das ist im jetzigen Zustand des Imports nicht möglich. Laden Sie ihn neu.",
} satisfies ErrorTexts["texts"];

export const choices = {
  unknown: "einer der Auswahlwerte",
  more: "einer von {count} weiteren",
} satisfies ErrorTexts["choices"];

export const queries = {
  KEY_LENGTH: "ein Idempotency-Key muss 1 bis 255 Zeichen haben",
  IF_MATCH: 'If-Match muss eine Version in Anführungszeichen sein, etwa "3"',
  TWICE: "„{word}“ kommt mehrmals vor",
  LIMIT: "„{word}“ muss zwischen 1 und {most} liegen",
  OFFSET: "„{word}“ muss die Anzahl der übersprungenen Einträge sein",
  PAGE: "„{word}“ muss die Nummer einer Seite sein, ab 1",
  SEARCH: "„search“ muss ein Text sein",
  GROUP: "die Liste lässt sich nicht nach „{word}“ gruppieren oder summieren",
  GROUPS: "Gruppen brauchen ein oder zwei verschiedene Felder",
  PIVOT: "eine Kreuztabelle braucht zwei verschiedene Felder",
  TOO_MANY_FILTERS: "zu viele Filter",
  AMONG: "„among“ muss ein Verweis sein wie Request.kind oder Request.kind/ID",
  NO_SUCH_LIST: "diese Einträge haben keine Liste „{word}“",
  CHOOSES_NOTHING: "„{word}“ passt auf keinen dieser Einträge",
  NO_PARAMETERS: "dieser Aufruf hat keine Parameter",
  IMPORT_ACT: "„{word}“ ist weder check noch run",
  IMPORT_SETTINGS: "die Einstellungen passen nicht zu den Spalten und Feldern des Imports",
  IMPORT_OPEN: "einige Spalten lassen sich auf zwei Arten lesen; wählen Sie für jede eine",
  NO_SUCH_PARAMETER: "dieser Aufruf hat keinen Parameter „{word}“",
  VALUE: "„{word}“ kann diesen Wert nicht haben",
  VALUE_NOW: "„{word}“ kann diesen Wert nicht haben. Er heißt jetzt „{now}“",
  FILTER: "nach „{word}“ lässt sich nicht filtern",
  FILTER_NOW: "nach „{word}“ lässt sich nicht filtern. Es heißt jetzt „{now}“",
  FIELDS: "das Feld „{word}“ lässt sich nicht auswählen",
  SORT: "nach „{word}“ lässt sich nicht sortieren",
  SORT_NOW: "nach „{word}“ lässt sich nicht sortieren. Es heißt jetzt „{now}“",
  ACTION: "„{word}“ ist keine Aktion",
  NO_SUCH_ENTITY: "„{word}“ gibt es nicht",
  NOTHING_UNDECIDED: "bei „{word}“ ist nichts zu entscheiden",
  TOO_MANY_VIEWS: "Sie können höchstens {most} Ansichten speichern",
} satisfies ErrorTexts["queries"];

export const reasons = {
  NOT_UTF8: "{word} ist nicht in UTF-8",
  NOT_WRITABLE: "das Programm darf {word} nicht schreiben",
  UNREADABLE: "ihre Dateien lassen sich nicht lesen",
  CHANGED_OUTSIDE:
    "ihre Dateien wurden außerhalb des Programms geändert. Starten Sie das Programm neu, um sie zu verwenden",
  OTHER_FILES: "Dateien lassen sich hier ändern, aber nicht hinzufügen oder entfernen",
  PREVIEW: "dies ist eine Vorschau",
  NO_ADDRESS: "starten Sie das Programm mit --preview PORT=ORIGIN",
} satisfies ErrorTexts["reasons"];

export const sizes = {
  ROWS: "Diese Tabelle hat {count, number} Zeilen.",
  COLUMNS: "Diese Tabelle hat {count, number} Spalten.",
  BYTES: "Diese Datei hat {count}.",
  UNPACKED: "Diese Arbeitsmappe ist entpackt größer als 300 MB.",
} satisfies ErrorTexts["sizes"];

export const kinds = {
  text: "eine Zeile Text",
  "long text": "Text",
  "rich text": "formatierter Text",
  integer: "eine ganze Zahl",
  decimal: "eine Zahl",
  "short decimal": "eine Zahl mit höchstens 28 Stellen vor und 10 nach dem Dezimaltrennzeichen",
  "exact decimal": "eine Zahl mit höchstens 15 Stellen; eine längere senden Sie als Text",
  money: "ein Geldbetrag",
  boolean: "ja oder nein",
  date: "ein Datum",
  "ordered date":
    "ein Datum in der Reihenfolge {days, select, dmy {Tag, Monat, Jahr} mdy {Monat, Tag, Jahr} other {Jahr, Monat, Tag}} wie die anderen Daten der Spalte",
  "unordered date": "ein Datum in bekannter Reihenfolge: Wählen Sie für die Spalte die Reihenfolge von Tag und Monat",
  "zoned date": "ein Datum ohne Uhrzeit: In der Zeitzone {zone} liegt dieser Zeitpunkt an einem anderen Tag",
  time: "eine Uhrzeit",
  datetime: "ein Zeitpunkt mit Zeitzone",
  duration: "eine Dauer, etwa P14D oder PT1H30M",
  choice: "einer der Auswahlwerte",
  email: "eine E-Mail-Adresse",
  url: "eine Webadresse, die mit http:// oder https:// beginnt",
  phone: "eine Telefonnummer",
  file: "eine hochgeladene Datei",
  image: "ein hochgeladenes Bild (PNG, JPEG, GIF, WebP oder AVIF)",
  json: "JSON, höchstens 50 Ebenen tief",
  sequence: "eine automatisch vergebene Nummer",
  "integer sequence": "eine automatisch vergebene ganze Zahl",
  slug: "Kleinbuchstaben und Ziffern mit Bindestrichen dazwischen",
  position: "eine ganze Zahl ab 1",
  reference: "die Kennung eines Eintrags",
  state: "einer der Zustände",
  amount:
    "ein Betrag in {currency} {places, plural, =0 {ohne Nachkommastellen} one {mit höchstens einer Nachkommastelle} other {mit höchstens # Nachkommastellen}}",
  object: "ein Objekt",
  "objects in a list": "eine Liste von Objekten",
  rows: "eine Liste",
  "list in place of null": "eine Liste (leer: [])",
  "part id": "die Kennung eines Teils",
  list: "eine Liste mit höchstens 200 Werten, jeder {kind}",
} satisfies ErrorTexts["kinds"];

export const unavailable = {
  FAULT: {
    title: "Interner Fehler",
    detail: "Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
  },
  TOO_BUSY: {
    title: "Server ausgelastet",
    detail: "Der Server ist ausgelastet. Es wurde nichts gespeichert. Versuchen Sie es gleich noch einmal.",
  },
  TOOK_TOO_LONG: {
    title: "Zeitüberschreitung",
    detail:
      "Das hat zu lange gedauert und wurde abgebrochen. Es wurde nichts gespeichert. Versuchen Sie es gleich noch einmal.",
  },
  STORE_AWAY: {
    title: "Datenbank nicht erreichbar",
    detail: "Die Datenbank ist nicht erreichbar. Ihre Daten sind sicher. Versuchen Sie es gleich noch einmal.",
  },
  FILES_AWAY: {
    title: "Dateien nicht erreichbar",
    detail:
      "Dateien können im Moment weder gespeichert noch geöffnet werden. Alles andere funktioniert. Versuchen Sie es in ein paar Minuten noch einmal.",
  },
} satisfies ErrorTexts["unavailable"];

export const offline = {
  title: "{application} ist nicht erreichbar",
  words:
    "Prüfen Sie Ihre Verbindung, oder warten Sie einen Moment. Diese Seite versucht es immer wieder und öffnet sich, sobald es geht.",
  drafts: "Entwürfe, die Sie auf diesem Gerät begonnen haben, sind noch da.",
  retry: "Erneut versuchen",
} satisfies ErrorTexts["offline"];

export const previewEnded = {
  title: "Diese Vorschau ist beendet",
  words:
    "Die Kopie der Daten, in der der Entwurf ausprobiert wurde, wurde gelöscht. Was dort eingegeben wurde, hat die Anwendung nie erreicht.",
  back: "Zurück zur Anwendung",
} satisfies ErrorTexts["previewEnded"];

export const titles = {
  400: "Ungültige Anfrage",
  401: "Nicht angemeldet",
  403: "Nicht erlaubt",
  404: "Nicht gefunden",
  409: "Konflikt",
  412: "Inzwischen geändert",
  413: "Zu groß",
  415: "Format nicht unterstützt",
  422: "Ungültig",
  429: "Zu viele Versuche",
} satisfies ErrorTexts["titles"];

export const refused = "Abgelehnt";

export const renamed = "„{name}“ heißt jetzt „{now}“.";
export const moved = "Diese Seite ist umgezogen nach {now}.";
export const removedBy =
  "Version {version} der Spezifikation hat „{name}“ entfernt. Die Werte bleiben erhalten: siehe Versionen, Stillgelegte Daten.";
