import { Icon } from "../../ui/icon.tsx";

/** A setting with a few values. */
export const Choice = ({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly { readonly value: string; readonly words: string; readonly lang?: string }[];
  onChoose: (value: string) => void;
}) => (
  <label className="setting">
    <span>{label}</span>
    <span className="box select">
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map((item) => (
          <option key={item.value} value={item.value} lang={item.lang}>
            {item.words}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  </label>
);
