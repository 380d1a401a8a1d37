import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useApplication, useEntity } from "../../app/app-context.tsx";
import { PEOPLE } from "../../format/names.ts";
import { findListScreen } from "../../routing/routes.ts";
import { Dotted } from "../../ui/dotted.tsx";
import { useShortTexts } from "../short-texts.ts";
import type { RecordOption } from "./reference-candidates.ts";

const MOST_FACTS = 3;

/** States and computed choices: they tell best whether a record is the right one now. */
const isVerdict = ({ type, automatic }: FieldJson) => type === "state" || (type === "choice" && automatic);

const Facts = ({ entity, candidate }: { entity: EntityJson; candidate: RecordOption }) => {
  const { screens } = useApplication();
  const words = useShortTexts(entity);
  const { label, record, foundBy, note } = candidate;
  // Of a person, the picture and the name say enough, unless the search found another text.
  const columns = (entity.name === PEOPLE ? [] : (findListScreen(screens, entity.name)?.columns ?? [])).flatMap(
    (name) => entity.fields.find((field) => field.name === name) ?? [],
  );
  const ordered = [...columns.filter(isVerdict), ...columns.filter((one) => !isVerdict(one))];
  const facts = (record === undefined ? [] : words(ordered, record))
    .filter(({ shown }) => !label.includes(shown) && shown !== foundBy)
    .map(({ shown }) => shown);
  const shown = [...[foundBy, note].filter((text) => text !== undefined), ...facts].slice(0, MOST_FACTS);
  return shown.map((fact, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two facts can be equal, and none is moved
    <Dotted key={at} at={at}>
      <bdi>{fact}</bdi>
    </Dotted>
  ));
};

/** A record’s columns in its list besides its label, to tell records with similar names apart. */
export const CandidateFacts = ({ entity, candidate }: { entity: string; candidate: RecordOption }) => {
  const target = useEntity(entity);
  return target === null ? null : <Facts entity={target} candidate={candidate} />;
};
