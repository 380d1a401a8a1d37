import { toWords } from "./names.ts";

/** Words for states by their place in a life, in English, German and French, without accents. */
const stages: readonly string[] = [
  "draft idea backlog planned prospect lead entwurf idee geplant brouillon prevu",
  "new open requested submitted pending received registered reported to_do todo waiting unassigned neu offen angefragt beantragt eingereicht eingegangen gemeldet wartend nouveau ouvert demande soumis recu en_attente",
  "accepted approved confirmed assigned scheduled ordered booked reserved angenommen genehmigt bestatigt zugewiesen bestellt gebucht reserviert accepte approuve confirme attribue commande reserve",
  "in_progress started working doing ongoing in_work in_repair lent in_arbeit begonnen laufend verliehen en_cours commence prete",
  "in_review review testing ready shipped sent delivered repaired fixed in_prufung bereit versandt geliefert repariert pret expedie livre repare",
  "closed done complete completed finished resolved returned paid archived erledigt abgeschlossen fertig geschlossen bezahlt zuruckgegeben archiviert ferme termine fini paye rendu archive",
  "rejected declined refused cancelled canceled withdrawn lost abandoned expired failed abgelehnt storniert zuruckgezogen abgebrochen verloren refuse annule retire perdu abandonne",
];
const stageOf: ReadonlyMap<string, number> = new Map(
  stages.flatMap((words, stage) => words.split(" ").map((word) => [word, stage] as const)),
);
/** A state with an unknown word is somewhere in the middle. */
const MIDDLE = 3;

const headers: ReadonlySet<string> = new Set(
  "status state stage phase progress zustand stand fortschritt statut etat etape avancement".split(" "),
);

const toKey = (text: string): string => toWords(text).join("_");

/** True for a column whose values are states of a life: its header says so, or most of its values do. */
const isLife = (header: string, names: readonly string[]): boolean =>
  toWords(header).some((word) => headers.has(word)) ||
  names.filter((name) => stageOf.has(toKey(name))).length * 3 >= names.length * 2;

/** Dates apart in fewer of the pairs of rows show no order. */
const CLEARLY = 0.8;

const isAfter = (one: readonly string[], other: readonly string[]): boolean => {
  let later = 0;
  for (const date of one) for (const earlier of other) later += date > earlier ? 1 : date === earlier ? 0.5 : 0;
  return later >= CLEARLY * one.length * other.length;
};

/** More rows of one state do not show the order any better. */
const MOST_DATES = 100;

/** Rows begin their life when they are dated, so the states of older ones come later. Undefined if the dates overlap. */
const orderByDates = (
  names: readonly string[],
  values: readonly string[],
  dates: readonly string[],
): readonly string[] | undefined => {
  const datesOf = new Map<string, string[]>();
  values.forEach((value, row) => {
    const [key, date = ""] = [toKey(value), dates[row]];
    const seen = datesOf.get(key) ?? [];
    datesOf.set(key, seen);
    if (date !== "" && seen.length < MOST_DATES) seen.push(date);
  });
  const known = names.map((name) => ({ name, dates: datesOf.get(toKey(name))?.toSorted() ?? [] }));
  if (known.some((one) => one.dates.length === 0)) return undefined;
  const middle = (sorted: readonly string[]): string => sorted[Math.floor(sorted.length / 2)] ?? "";
  const ordered = known.toSorted((one, other) => (middle(one.dates) < middle(other.dates) ? 1 : -1));
  const isClear = ordered.every(({ dates: own }, at) => {
    const next = ordered[at + 1];
    return next === undefined || isAfter(own, next.dates);
  });
  return isClear ? ordered.map(({ name }) => name) : undefined;
};

/**
 * The names of choices in the order of a life: that of well-known words such as open and closed, else that of the rows’ dates
 * (`2026-01-31`), else that of the rows. Undefined for a column that shows no life.
 */
export const orderStates = (
  header: string,
  names: readonly string[],
  values: readonly string[],
  dates: readonly string[] | undefined,
): readonly string[] | undefined => {
  if (!isLife(header, names)) return undefined;
  const firstRow = new Map<string, number>();
  values.forEach((value, row) => {
    const key = toKey(value);
    if (!firstRow.has(key)) firstRow.set(key, row);
  });
  const byRow = names.toSorted((one, other) => (firstRow.get(toKey(one)) ?? 0) - (firstRow.get(toKey(other)) ?? 0));
  const stage = (name: string): number => stageOf.get(toKey(name)) ?? MIDDLE;
  if (names.some((name) => stageOf.has(toKey(name)))) return byRow.toSorted((one, other) => stage(one) - stage(other));
  return (dates && orderByDates(names, values, dates)) ?? byRow;
};
