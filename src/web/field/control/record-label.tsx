import type { ReferenceJson } from "../../../core/wire/records.ts";
import { PEOPLE } from "../../format/names.ts";
import { Avatar } from "../../ui/avatar.tsx";

export const Person = ({ id, label }: ReferenceJson) => (
  <span className="who">
    <Avatar name={label} of={id} />
    <bdi className="cut">{label}</bdi>
  </span>
);

/** The label of a record; for a person with their picture. */
export const RecordLabel = ({ entity, one }: { entity: string | undefined; one: ReferenceJson }) =>
  entity === PEOPLE ? <Person {...one} /> : <bdi className="cut">{one.label}</bdi>;
