/**
 * What of an address or a header cannot be answered, as it follows a colon: in English, and by that in German. What stands in
 * braces is what was asked.
 */
export const askedInGerman = {
  "an Idempotency-Key has 1 to 255 characters": "ein Idempotency-Key hat 1 bis 255 Zeichen",
  'If-Match is a version in quotes, such as "3"': 'If-Match ist eine Version in Anführungszeichen, etwa "3"',
  "“{word}” stands there more than once": "„{word}“ steht dort mehr als einmal",
  "“limit” is from 1 to {most}": "„limit“ liegt zwischen 1 und {most}",
  "“offset” is how many records are passed over": "„offset“ sagt, wie viele Einträge übergangen werden",
  "“search” is no text": "„search“ ist kein Text",
  "there are too many filters": "es sind zu viele Filter",
  "“among” is a reference such as Request.kind, or Request.kind/ID":
    "„among“ ist ein Verweis wie Request.kind oder Request.kind/ID",
  "no list of these records is called “{word}”": "keine Liste dieser Einträge heißt „{word}“",
  "“{word}” chooses nothing of these": "„{word}“ wählt nichts hiervon aus",
  "this call takes no words in its address": "dieser Aufruf nimmt nichts weiter in seiner Adresse",
  "this call knows no “{word}”": "dieser Aufruf kennt „{word}“ nicht",
  "“{word}” cannot have that value": "„{word}“ kann diesen Wert nicht haben",
  "“{word}” cannot have that value; it is called “{now}” now":
    "„{word}“ kann diesen Wert nicht haben; er heißt jetzt „{now}“",
  "nothing can be filtered by “{word}”": "nach „{word}“ lässt sich nicht filtern",
  "nothing can be filtered by “{word}”; it is called “{now}” now":
    "nach „{word}“ lässt sich nicht filtern; es heißt jetzt „{now}“",
  "nothing can be sorted by “{word}”": "nach „{word}“ lässt sich nicht ordnen",
  "nothing can be sorted by “{word}”; it is called “{now}” now":
    "nach „{word}“ lässt sich nicht ordnen; es heißt jetzt „{now}“",
  "“{word}” is nothing that can be done": "„{word}“ ist nichts, was sich tun lässt",
  "there is no “{word}”": "„{word}“ gibt es nicht",
  "nothing is undecided about “{word}”": "bei „{word}“ ist nichts offen",
  "one keeps {most} views at most": "mehr als {most} Ansichten lassen sich nicht behalten",
} as const;

export type Asked = keyof typeof askedInGerman;
