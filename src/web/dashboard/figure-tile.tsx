import { keepsTarget, targetTextOf } from "../../core/derive/client/measured-values.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { changeBetween, measures, useFigure } from "./chart/figures.ts";
import "./figure-tile.css";

interface FigureProps {
  readonly tile: TileJson & { readonly kind: "figure" };
  readonly data: TileDataJson & { readonly kind: "figure" };
}

/** One figure, with the one that it is compared with and its target. Nothing depends on colour alone. */
export const FigureTile = ({ tile, data }: FigureProps) => {
  const { say } = useWords();
  const { value, target } = tile;
  const figure = useFigure(value);
  // A title such as "Cost this month" needs no second label.
  const isNamed = value.how === "share" || tile.title.toLocaleLowerCase().includes(value.label.toLocaleLowerCase());
  return (
    <>
      <p className="tile-figure">
        <b className="big-figure figures">{figure(data.value)}</b>
        {!isNamed && <span>{value.how === "count" ? value.label : say(measures[value.how], { of: value.label })}</span>}
      </p>
      {tile.compare !== null && <Compared tile={tile} data={data} />}
      {target !== null && <TargetLine tile={tile} data={data} />}
    </>
  );
};

const Compared = ({ tile, data }: FigureProps) => {
  const { say, show } = useWords();
  const figure = useFigure(tile.value);
  const change = changeBetween(tile.value.how, data.compared, data.value);
  const words = { title: tile.compare?.title ?? "", value: figure(data.compared) };
  return (
    <p className="figure-line figures">
      {change === null
        ? say("figure.compared", words)
        : say("figure.compared.change", {
            ...words,
            change:
              tile.value.how === "share"
                ? say("figure.points", { points: show.change(change, "points") })
                : show.change(change, "percent"),
          })}
    </p>
  );
};

const TargetLine = ({ tile: { target, value }, data }: FigureProps) => {
  const { say } = useWords();
  const figure = useFigure(value);
  if (target === null) return null;
  const isMet = keepsTarget(data.value, target);
  const part = data.value === null ? 0 : Number(data.value) / Number(target.value);
  return (
    <div className="figure-target" data-hue={isMet === null ? undefined : isMet ? "green" : "red"}>
      {target.bound === "at least" && (
        <span className="bar-track" aria-hidden="true">
          <i style={{ inlineSize: `${Math.max(0, Math.min(1, Number.isFinite(part) ? part : 1)) * 100}%` }} />
        </span>
      )}
      <p className="figure-line">
        {isMet !== null && <Icon name={isMet ? "check" : "alert"} size={16} />}
        {say(targetTextOf(target, isMet), { value: figure(target.value) })}
      </p>
    </div>
  );
};
