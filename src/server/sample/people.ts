import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import { createPerson } from "../accounts/create-person.ts";
import type { Service } from "../execution/service.ts";
import { firstThat, hasSucceeded, remember, type SamplePerson, type SampleRun, SPAN_DAYS } from "./context.ts";
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
];

/** Number of people without a role. */
const PEOPLE_WITHOUT_ROLE = 4;

export const samplePeople = async (service: Service, at: Date): Promise<readonly SamplePerson[]> => {
  const granted = [...service.model.roles.values()]
    .filter((role) => role.members === "granted")
    .map((role) => role.name);
  const served = service.model.roles.size > 0 || [...service.model.entities.values()].some((entity) => entity.served);
  const wanted: (readonly string[])[] = [[ADMINISTRATOR], ...granted.map((role) => [role])];
  // If signed-in users without a role have permissions, some sample people have no role.
  if (served) for (let i = 0; i < PEOPLE_WITHOUT_ROLE; i++) wanted.push([]);
  const people: SamplePerson[] = [];
  for (const [i, roles] of wanted.entries()) {
    const name = names[i % names.length] ?? "";
    const address = name
      .normalize("NFD")
      .replace(/[^\p{L} ]/gu, "")
      .toLowerCase()
      .split(" ");
    const id = await createPerson(
      service,
      { name, email: `${address.at(0)}.${address.at(-1)}${i >= names.length ? i : ""}@example.com`, roles },
      at,
      { isChecked: false },
    );
    if (typeof id !== "string") continue;
    await remember(service, "User", id);
    people.push({ id, granted: new Set(roles) });
  }
  return people;
};

/** Number of people whom others refer to, such as the managers of a small organisation. */
const MANAGERS = 2;

/**
 * Sets references between people, such as a manager, first, because permissions depend on them. The first few people
 * are the ones referred to.
 */
export const assignRelations = async ({ service, people, random, now }: SampleRun): Promise<void> => {
  const user = service.model.entities.get("User");
  const relations = [...(user?.fields.values() ?? [])].filter(
    (field) => field.entity === "User" && field.optional && user !== undefined && !isAutomatic(user, field.name),
  );
  if (user === undefined || relations.length === 0) return;
  const at = new Date(now.getTime() - (SPAN_DAYS + 4) * DAY_MS);
  const plain = people.filter(({ granted }) => granted.size === 0);
  const heads = (plain.length > MANAGERS ? plain : people).slice(0, MANAGERS);
  const changers = people.filter((person) => grantsFor(service.model, user, "update", person).length > 0);
  for (const person of people)
    for (const field of relations) {
      const head = pick(
        random,
        heads.filter(({ id }) => id !== person.id),
      );
      if (head === undefined || (person === heads[0] && random() < 0.5)) continue;
      await firstThat(changers, async (changer) =>
        hasSucceeded(
          await service.perform(
            {
              kind: "update",
              entity: user.name,
              id: person.id,
              values: { [field.name]: head.id },
              version: null,
              label: false,
            },
            changer,
            at,
          ),
        ),
      );
    }
};
