import type { DefaultTexts } from "../catalogue.ts";

export const texts = {
  NOTHING_INVENTED: {
    silent: "die Spezifikation als Ganzes",
    inForce: "Es erscheint nichts, was nicht in einer Klausel oder einer Vorgabe steht.",
  },
  PURPOSE_UNKNOWN: {
    silent: "der Zweck des Produkts",
    inForce: "Die Anwendung hat den Titel der Spezifikation und keine Beschreibung.",
  },
  AUDIENCE_INVITED: {
    silent: "die Personen, für die es ist",
    inForce: "Nur wer ein Konto von der Administration hat, kann sich anmelden.",
  },
  LOCALE_ENGLISH: {
    silent: "die Sprache",
    inForce: "Texte sind englisch, Datumsangaben und Zahlen wie in Großbritannien.",
  },
  TIMEZONE_UTC: { silent: "die Zeitzone", inForce: "Die Zeitzone ist UTC." },
  ACCENT_PETROL: { silent: "die Farbe", inForce: "Die Akzentfarbe von Schaltflächen und Links ist Petrol." },
  SCREENS_OF_ENTITIES: {
    silent: "die Ansichten",
    inForce:
      "Jede Entität, die jemand sehen kann, hat eine Liste und eine Seite je Eintrag. Jede, die jemand bearbeiten kann, hat auch ein Formular.",
  },
  ROUTES_OF_ENTITIES: {
    silent: "die Adressen",
    inForce:
      "Die Adresse einer Liste ist der Plural ihrer Entität, zum Beispiel /bookings; ihre Einträge liegen darunter.",
  },
  ROUTE_BY_ID: {
    silent: "die Parameter der Adressen",
    inForce: "Der einzige Parameter einer Adresse ist die ID eines Eintrags.",
  },
  RECORD_AND_FORMS_OF_LISTS: {
    silent: "der Eintrag und die Formulare einer Liste",
    inForce: "Jede Liste hat eine Seite je Eintrag und Formulare zum Anlegen und Bearbeiten, mit allen Feldern.",
  },
  FIRST_COLUMNS: {
    silent: "die Spalten einer Liste",
    inForce: "Eine Liste zeigt die ersten sechs Felder ihrer Entität.",
  },
  NEWEST_FIRST: { silent: "die Reihenfolge einer Liste", inForce: "Eine Liste zeigt die neuesten Einträge zuerst." },
  NO_ENTITIES: {
    silent: "die Entitäten",
    inForce: "Es gibt keine Entitäten außer den Personen, die sich anmelden; es lässt sich also nichts speichern.",
  },
  NO_FIELDS: {
    silent: "die Felder",
    inForce:
      "Es gibt keine Felder. Personen haben einen Namen und eine E-Mail-Adresse, ein Bild nur, wenn ein Recht es erlaubt.",
  },
  LABEL_FIRST_TEXT: {
    silent: "die Bezeichnung einer Entität",
    inForce: "Die Bezeichnung eines Eintrags ist sein erstes Textfeld, sonst der Name seiner Entität.",
  },
  FIELD_WITHOUT_COLUMN: {
    silent: "der Typ eines Feldes",
    inForce: "Das Feld wird nicht gespeichert und nicht angezeigt.",
  },
  NO_STATES: { silent: "die Zustände", inForce: "Einträge haben keinen Zustand." },
  NO_TRANSITIONS: { silent: "die Übergänge", inForce: "Es gibt keine Übergänge." },
  FIRST_STATE_BEGINS: { silent: "der Anfangszustand", inForce: "Ein Eintrag beginnt im ersten Zustand." },
  COLOURS_BY_ORDER: {
    silent: "die Farbe eines Zustands",
    inForce: "Zustände erhalten Farben nach ihrer Reihenfolge, aber nie Rot oder Grün.",
  },
  NOTIFICATIONS_AT_ONCE: {
    silent: "wann Benachrichtigungen per E-Mail kommen",
    inForce:
      "Benachrichtigungen werden sofort per E-Mail gesendet, wenn ein Mailserver eingerichtet ist. Jede Person kann eine E-Mail am Tag oder keine wählen. E-Mails bieten die Übergänge an, die ihr Leser ausführen kann.",
  },
  TRANSITION_BY_ADMINISTRATORS: {
    silent: "wer einen Übergang ausführen kann",
    inForce: "Nur die Administration kann ihn ausführen.",
  },
  TYPES_ALONE: {
    silent: "die Regeln für Werte",
    inForce:
      "Ein Wert muss zum Typ seines Feldes passen, und Pflichtfelder brauchen einen Wert. Es gibt keine weiteren Regeln.",
  },
  ADMINISTRATORS_ONLY: { silent: "die Rechte", inForce: "Nur die Administration kann Einträge sehen oder ändern." },
  NO_ROLES: {
    silent: "die Rollen",
    inForce: "Die einzige Rolle ist die Administration, und es gibt einen ersten Administrator.",
  },
  CHANGES_BY_ADMINISTRATORS: {
    silent: "wer Änderungen der Spezifikation vorschlägt und genehmigt",
    inForce: "Ein Mitglied der Administration veröffentlicht eine Änderung allein.",
  },
  ACTION_BY_NOBODY: {
    silent: "eine Aktion auf einer Entität, die Punkt 6 erwähnt",
    inForce: "Niemand kann sie ausführen.",
  },
  ROLE_GRANTED: { silent: "die Mitglieder einer Rolle", inForce: "Die Administration vergibt die Rolle an Personen." },
  CONVENTIONAL_CALLS: {
    silent: "die Aufrufe",
    inForce: "Jede Entität hat die üblichen Aufrufe; andere gibt es nicht.",
  },
  PASSWORD_ALONE: {
    silent: "die Anbieter",
    inForce: "Die Anmeldung erfolgt mit E-Mail-Adresse und Passwort, ohne Anbieter.",
  },
  SIGN_UP_CLOSED: {
    silent: "die Registrierung",
    inForce: "Niemand kann sich registrieren. Die Administration legt Konten an.",
  },
  NO_TOKENS: {
    silent: "Token für Programme",
    inForce: "Niemand kann API-Token anlegen. Ein Programm meldet sich wie eine Person an.",
  },
  BUILT_IN_ERRORS: { silent: "die Fehler", inForce: "Es gelten die eingebauten Fehler mit ihren Codes und Texten." },
  STATUS_422: { silent: "der Status eines Fehlers", inForce: "Der Status eines Fehlers ist 422." },
  BUILT_IN_LIMITS: {
    silent: "die Konstanten",
    inForce:
      "Es gelten die eingebauten Grenzen: 50 Einträge je Seite und höchstens 200, Sitzungen von 12 Stunden, 10 Anmeldeversuche.",
  },
} satisfies DefaultTexts;
