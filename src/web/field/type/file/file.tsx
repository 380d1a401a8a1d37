import type { FileJson } from "../../../../core/wire/records.ts";
import { isFile } from "../../../format/value-shapes.ts";
import { useWords } from "../../../i18n/words.tsx";
import { useFileAddress } from "../../../ui/dom/file-address.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";
import "./file.css";

export const isPicture = ({ type }: FileJson) => type.startsWith("image/");

const Shown = ({ value, cell }: ShownProps) => {
  const addressOf = useFileAddress();
  const { show } = useWords();
  if (!isFile(value)) return null;
  if (cell)
    return (
      <span className="file-name">
        <Icon name="document" /> <bdi className="cut">{value.name}</bdi>
      </span>
    );
  const address = addressOf(value.id, false);
  return (
    <a
      className="file-shown"
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      download={isPicture(value) ? undefined : value.name}
    >
      {isPicture(value) ? <img src={address} alt="" loading="lazy" /> : <Icon name="document" size={20} />}
      <span className="file-words">
        <bdi className="link break">{value.name}</bdi>
        <span className="aside-words">{show.bytes(value.size)}</span>
      </span>
    </a>
  );
};

export const file: FieldView = { Shown, wide: true, end: false, group: never };
