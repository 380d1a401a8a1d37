import { WebLink } from "../../../ui/web-link.tsx";
import { type FieldView, never } from "../../field.ts";

/** Only these addresses become links: a `javascript:` address stays text. */
const safe = (address: string) => /^https?:\/\//i.test(address);

export const url: FieldView = {
  Shown: ({ value, cell }) => {
    const address = String(value);
    const words = address.replace(/^https?:\/\//i, "").replace(/\/$/, "");
    return cell || !safe(address) ? (
      <bdi dir="ltr">{words}</bdi>
    ) : (
      <WebLink dir="ltr" href={address}>
        {words}
      </WebLink>
    );
  },
  wide: false,
  end: false,
  group: never,
};
