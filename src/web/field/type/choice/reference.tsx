import { useApplication } from "../../../app/app-context.tsx";
import { PEOPLE } from "../../../format/names.ts";
import { isReference } from "../../../format/value-shapes.ts";
import { recordAddress } from "../../../routing/routes.ts";
import { Link } from "../../../ui/link.tsx";
import { Person } from "../../control/record-label.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ field, value, cell }: ShownProps) => {
  const { screens } = useApplication();
  if (!isReference(value)) return null;
  const words = field.entity === PEOPLE ? <Person {...value} /> : <bdi>{value.label}</bdi>;
  const address = cell || !field.entity ? null : recordAddress(screens, field.entity, value.id);
  return address === null ? (
    words
  ) : (
    <Link className="link" href={address}>
      {words}
    </Link>
  );
};

export const reference: FieldView = { Shown, wide: false, end: false, group: never };
