import { TextBox } from "../../control/text-box.tsx";
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
      <a className="link break" dir="ltr" href={address} target="_blank" rel="noreferrer noopener">
        {words}
      </a>
    );
  },
  Input: (props) => <TextBox {...props} type="url" inputMode="url" dir="ltr" />,
  wide: false,
  end: false,
  group: never,
};
