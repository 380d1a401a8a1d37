import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import { createPerson } from "../accounts/create-person.ts";
import type { Service } from "../execution/service.ts";
import { firstSuccess, hasSucceeded, remember, type SamplePerson, type SampleRun, SPAN_DAYS } from "./context.ts";
import { listNeededPeople } from "./needed-people.ts";
import { DAY_MS, pick } from "./values.ts";

/** Fictitious names, in order of use. */
const names = [
  "Amara Okafor",
  "Jonas Weber",
  "Mei Tanaka",
  "Lukas Brandt",
  "Sofía Marín",
  "Noah Fischer",
  "Hanna Lindqvist",
  "Tom Adeyemi",
  "Zoë Kröger",
  "Ines Duarte",
  "Bartholomäus von Hohenstein-Lichtenfels",
  "Yusuf Demir",
  "Clara Nowak",
  "Samuel Osei",
  "Elif Aydın",
  "Mateo Rossi",
  "Freya Nilsen",
  "Anton Hoffmann",
  "Priya Raman",
  "Daniel Kowalski",
  "Leonie Vogt",
  "Omar Haddad",
  "Julie Moreau",
  "Felix Baumann",
];

/** The sample people that a database has, in the order of their creation. */
export const listSamplePeople = async ({ database }: Service): Promise<readonly SamplePerson[]> => {
  const rows = await database.query({
    text: `select u."id", u."roles" from app."user" u join ninefold.sample s on s.entity = 'User' and s.record = u."id" where u."active" order by u."id"`,
    values: [],
  });
  return rows.map(toSamplePerson);
};

export const toSamplePerson = ({ id, roles }: Record<string, unknown>): SamplePerson => ({
  id: String(id),
  granted: new Set(Array.isArray(roles) ? roles.map(String) : []),
});

/** Creates the people that a demonstration needs, beside those that it has. With `before`, only for what is new since. */
export const addSamplePeople = async (
  service: Service,
  at: Date,
  known: readonly SamplePerson[] = [],
  before: Model | null = null,
): Promise<readonly SamplePerson[]> => {
  const free = [...known];
  const needed = (before === null ? [] : listNeededPeople(before)).map(String);
  const missing = listNeededPeople(service.model).filter((roles) => {
    const index = free.findIndex(({ granted }) =>
      roles.length === 0 ? granted.size === 0 : roles.every((role) => granted.has(role)),
    );
    if (index >= 0) free.splice(index, 1);
    const earlier = needed.indexOf(String(roles));
    if (earlier >= 0) needed.splice(earlier, 1);
    return index < 0 && earlier < 0;
  });
  const people: SamplePerson[] = [];
  const taken = await listAddresses(service);
  for (const roles of missing) {
    const person = [...names.keys(), ...names.keys()]
      .map((i, at) => toNamedPerson(i, at >= names.length ? at : null))
      .find(({ email }) => !taken.has(email));
    if (person === undefined) continue;
    taken.add(person.email);
    const id = await createPerson(service, { ...person, roles }, at, { isChecked: false });
    if (typeof id !== "string") continue;
    await remember(service, "User", id);
    people.push({ id, granted: new Set(roles) });
  }
  return people;
};

const toNamedPerson = (i: number, number: number | null) => {
  const name = names[i] ?? "";
  const words = name
    .normalize("NFD")
    .replace(/[^\p{L} ]/gu, "")
    .toLowerCase()
    .split(" ");
  return { name, email: `${words.at(0)}.${words.at(-1)}${number ?? ""}@example.com` };
};

const listAddresses = async ({ database }: Service): Promise<Set<string>> => {
  const rows = await database.query({ text: `select lower("email") as email from app."user"`, values: [] });
  return new Set(rows.map(({ email }) => String(email)));
};

/** Number of people whom others refer to, such as the managers of a small organisation. */
const MANAGERS = 2;

/**
 * Sets references between people, such as a manager, first, because permissions depend on them. The first few people
 * are the ones referred to.
 */
export const assignRelations = async (run: SampleRun, of: readonly SamplePerson[] = run.people): Promise<void> => {
  const { people, random } = run;
  const relations = listUserReferences(run, "User").filter(({ optional }) => optional);
  const plain = people.filter(({ granted }) => granted.size === 0);
  const heads = (plain.length > MANAGERS ? plain : people).slice(0, MANAGERS);
  for (const person of of)
    for (const field of relations) {
      const head = pick(
        random,
        heads.filter(({ id }) => id !== person.id),
      );
      if (head === undefined || (person === heads[0] && random() < 0.5)) continue;
      await setReference(run, person, field, field.many ? [head.id] : head.id);
    }
};

/** Number of records of one kind to which people belong at first, so that they have something in common. */
const GROUPS = 4;

/** Sets references from people to records, such as the organisations they belong to, because permissions depend on them. */
export const assignMemberships = async (run: SampleRun, { name }: Entity): Promise<void> => {
  const groups = (run.created.get(name) ?? []).slice(0, GROUPS);
  for (const field of listUserReferences(run, name))
    for (const [at, person] of run.people.entries()) {
      const group = groups[at % groups.length];
      if (group !== undefined) await setReference(run, person, field, field.many ? [group] : group);
    }
};

/** The fields of people that refer to records of an entity, and that somebody enters. */
const listUserReferences = ({ service: { model } }: SampleRun, entity: string): readonly Field[] => {
  const user = model.entities.get("User");
  return [...(user?.fields.values() ?? [])].filter(
    (field) => field.entity === entity && user !== undefined && !isAutomatic(user, field.name),
  );
};

/** Sets a field of a person, by somebody with permission. */
const setReference = async (
  { service, people, now }: SampleRun,
  person: SamplePerson,
  field: Field,
  value: Json,
): Promise<void> => {
  const user = service.model.entities.get("User");
  if (user === undefined) return;
  const at = new Date(now.getTime() - (SPAN_DAYS + 4) * DAY_MS);
  const changers = people.filter((changer) => grantsFor(service.model, user, "update", changer).length > 0);
  const values = { [field.name]: value };
  await firstSuccess(changers, async (changer) =>
    hasSucceeded(
      await service.perform(
        { kind: "update", entity: user.name, id: person.id, values, version: null, label: false },
        changer,
        at,
      ),
    ),
  );
};
