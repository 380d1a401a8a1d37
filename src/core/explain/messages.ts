import type { BuiltInError } from "../model/errors.ts";
import { askedInGerman } from "./query-errors.ts";

/** What the built-in errors say where the document does not, beside the English of `model/errors.ts`; and what problems are called. */
export interface Messages {
  /** Absent in the language in which they are written already. */
  readonly errors: { readonly [code in BuiltInError]: string } | null;
  /** What a value must be, by the English for it. */
  readonly kinds: { readonly [is: string]: string };
  /** What of an address cannot be answered, by the English for it. */
  readonly asked: { readonly [what: string]: string };
  /** What cannot be answered just now, or ever, whatever was asked. Absent in the language in which it is written already. */
  readonly away: { readonly [code in Away]: { readonly title: string; readonly detail: string } } | null;
  readonly titles: { readonly [status: number]: string };
  readonly refused: string;
}

/** Why the program itself does not answer: no document changes these. */
export type Away = "FAULT" | "TOO_BUSY" | "TOOK_TOO_LONG" | "STORE_AWAY";

export const englishMessages: Messages = {
  errors: null,
  kinds: {},
  asked: {},
  away: null,
  titles: {
    400: "Bad request",
    401: "Not signed in",
    403: "Not permitted",
    404: "Not found",
    409: "Conflict",
    412: "Changed meanwhile",
    413: "Too much",
    415: "Unsupported",
    422: "Not valid",
    429: "Too many attempts",
  },
  refused: "Refused",
};

export const germanMessages: Messages = {
  errors: {
    NOT_SIGNED_IN: "Sie sind nicht angemeldet.",
    BAD_CREDENTIALS: "Die E-Mail-Adresse oder das Passwort stimmt nicht.",
    NOT_FOUND: "Diesen Eintrag gibt es nicht, oder er ist nicht für Sie bestimmt.",
    NO_SUCH_CALL: "Unter dieser Adresse gibt es nichts.",
    FORBIDDEN: "Das ist nicht erlaubt.",
    NOT_YOURS_TO_WRITE: "„{field}“ können Sie nicht ändern.",
    FOREIGN_ORIGIN: "Die Anfrage kam von einer anderen Website.",
    CHANGED_MEANWHILE: "Jemand hat diesen Eintrag inzwischen geändert.",
    MALFORMED: "Das Gesendete ist nicht lesbar.",
    BAD_QUERY: "Die Adresse fragt nach etwas, das es nicht gibt: {detail}.",
    BAD_CURSOR: "Diese Seitenmarke gehört nicht zu dieser Liste.",
    REQUIRED: "„{field}“ fehlt.",
    WRONG_TYPE: "„{field}“ muss {type} sein.",
    TOO_SHORT: "„{field}“ muss mindestens {min} Zeichen haben.",
    TOO_LONG: "„{field}“ darf höchstens {max} Zeichen haben.",
    TOO_SMALL: "„{field}“ darf nicht unter {min} liegen.",
    TOO_LARGE: "„{field}“ darf nicht über {max} liegen.",
    NOT_A_CHOICE: "„{field}“ muss eine der Möglichkeiten sein.",
    UNKNOWN_FIELD: "Ein Feld „{field}“ gibt es nicht.",
    NO_SUCH_FILE: "„{field}“ nennt keine Datei, die im Lauf des letzten Tages gesendet wurde.",
    NO_SUCH_PICTURE: "„{field}“ nennt kein Bild, das im Lauf des letzten Tages gesendet wurde.",
    NO_SUCH_REFERENCE: "Was in „{field}“ steht, gibt es nicht, oder es ist nicht für Sie bestimmt.",
    NO_SUCH_PART: "Einen solchen Teil gibt es nicht, oder er ist nicht für Sie bestimmt.",
    PART_TWICE: "Dieser Teil steht schon in der Liste.",
    TOO_MANY_PARTS: "„{field}“ darf höchstens {max} enthalten.",
    NOT_AMONG: "Was in „{field}“ steht, ist hier nicht zu wählen.",
    KEY_REUSED: "Dieser Idempotency-Key gehörte zu einer anderen Anfrage.",
    PASSWORD_LENGTH: "Ein Passwort hat {min} bis {max} Zeichen.",
    PASSWORD_WEAK: "Dieses Passwort lässt sich erraten. Wählen Sie ein anderes.",
    WRONG_PASSWORD: "Das Passwort stimmt nicht.",
    SIGN_IN_AGAIN: "Dafür müssen Sie sich gerade erst angemeldet haben. Melden Sie sich ab und wieder an.",
    LINK_USED: "Dieser Link wurde schon benutzt oder gilt nicht mehr.",
    INVALID: "Etwas muss noch berichtigt werden.",
    WRONG_STATE: "Das geht in diesem Zustand nicht: {state}.",
    TAKEN: "„{field}“ ist schon vergeben.",
    IN_USE: "Etwas anderes verweist noch hierauf, darum bleibt es.",
    LAST_ADMINISTRATOR: "Jemand muss die Administration haben, und sonst hat sie niemand.",
    ACCOUNT_INACTIVE: "Dieses Konto ist nicht aktiv.",
    NOT_ONE: "Genau eines war dort zu finden, und es gibt keines oder mehrere.",
    GUARD: "Das geht im Moment nicht.",
    DOCUMENT_INVALID: "Das Dokument läuft erst, wenn seine Fehler behoben sind.",
    DOCUMENT_CHANGED: "Das Dokument wurde inzwischen geändert.",
    CHANGE_REFUSED: "Gespeichertes ginge verloren oder passte nicht mehr.",
    DOCUMENT_FIXED: "Das Dokument ist hier nicht zu ändern: {detail}.",
    FILE_TOO_LARGE: "Eine Datei darf höchstens {max} haben.",
    TOO_MUCH: "Das ist mehr, als eine Anfrage enthalten darf.",
    TOO_MANY_FILES:
      "Sie haben viele Dateien geschickt, die noch zu nichts gehören. Bitte erst speichern, wozu sie gehören, und es dann noch einmal versuchen.",
    UNSUPPORTED: "Bitte JSON senden.",
    TOO_MANY_ATTEMPTS: "Das waren zu viele Versuche. Bitte eine Minute warten und es noch einmal versuchen.",
  },
  kinds: {
    "yes or no": "ja oder nein",
    "one of its choices": "eine der Möglichkeiten",
    "an object": "ein Objekt",
    "a date": "ein Datum",
    "a date and time with its offset": "ein Zeitpunkt mit Zeitzone",
    "a length of time, such as P14D or PT1H30M": "eine Dauer, etwa P14D oder PT1H30M",
    "a file that was sent before": "eine Datei, die zuvor gesendet wurde",
    "a picture (PNG, JPEG, GIF, WebP or AVIF) that was sent before":
      "ein Bild (PNG, JPEG, GIF, WebP oder AVIF), das zuvor gesendet wurde",
    "an amount of money": "ein Geldbetrag",
    "a whole number": "eine ganze Zahl",
    "a number": "eine Zahl",
    "a whole number from 1": "eine ganze Zahl ab 1",
    "a record's id": "die Kennung eines Eintrags",
    "one line of text": "eine Zeile Text",
    text: "Text",
    "text with marks": "Text mit Auszeichnungen",
    "an email address": "eine E-Mail-Adresse",
    "a web address that begins with http:// or https://": "eine Webadresse, die mit http:// oder https:// beginnt",
    "a telephone number": "eine Telefonnummer",
    "a time of day": "eine Uhrzeit",
  },
  asked: askedInGerman,
  away: {
    FAULT: {
      title: "Störung",
      detail: "Das ließ sich nicht erledigen, und der Fehler liegt beim Programm.",
    },
    TOO_BUSY: {
      title: "Zu viel auf einmal",
      detail: "Im Moment fragen zu viele. Nichts ist geschehen; bitte gleich noch einmal versuchen.",
    },
    TOOK_TOO_LONG: {
      title: "Zu lange",
      detail:
        "Das dauerte länger, als es darf, und wurde abgebrochen. Nichts ist geschehen; bitte gleich noch einmal versuchen.",
    },
    STORE_AWAY: {
      title: "Nicht erreichbar",
      detail: "Der Speicher ist gerade nicht erreichbar. Nichts ging verloren; bitte gleich noch einmal versuchen.",
    },
  },
  titles: {
    400: "Unverständlich",
    401: "Nicht angemeldet",
    403: "Nicht erlaubt",
    404: "Nicht gefunden",
    409: "Widerspruch",
    412: "Inzwischen geändert",
    413: "Zu viel",
    415: "Nicht lesbar",
    422: "Nicht gültig",
    429: "Zu viele Versuche",
  },
  refused: "Abgelehnt",
};
