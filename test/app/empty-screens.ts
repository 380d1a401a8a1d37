import type { Application } from "../../src/core/wire/application.ts";
import type { EntityJson } from "../../src/core/wire/entities.ts";
import type { OverviewJson } from "../../src/core/wire/overview.ts";
import type { LayoutJson, ListScreenJson } from "../../src/core/wire/screens.ts";
import type { ApiClient } from "./program.ts";

const DAY_MS = 86_400_000;

/** Monday of a week as a date. */
const weekOf = (now: Date, weeks: number): { readonly from: string; readonly to: string } => {
  const monday = now.getTime() - ((now.getUTCDay() + 6) % 7) * DAY_MS + weeks * 7 * DAY_MS;
  const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: dayAt(monday), to: dayAt(monday + 6 * DAY_MS) };
};

/** Everything on the screens of a person that is empty. */
export const listEmpty = async (somebody: ApiClient, now: Date): Promise<readonly string[]> => {
  const { screens, entities } = (await somebody.get("/_/application")).body as Application;
  const empty: string[] = [];
  for (const screen of screens) {
    if (screen.kind === "tiles")
      empty.push(
        ...(await emptyTiles(
          somebody,
          screen.path,
          screen.tiles.map(({ title }) => title),
        )),
      );
    if (screen.kind !== "list" || entities[screen.entity] === undefined) continue;
    const rows = await rowsOf(somebody, screen, entities[screen.entity] as EntityJson);
    if (rows.length === 0) empty.push(screen.path);
    for (const layout of screen.layouts)
      empty.push(
        ...emptyInLayout(rows, layout, entities[screen.entity] as EntityJson, now).map(
          (item) => `${screen.path} ${item}`,
        ),
      );
  }
  return empty;
};

type Row = Readonly<Record<string, unknown>>;

const rowsOf = async (somebody: ApiClient, screen: ListScreenJson, { calls }: EntityJson): Promise<readonly Row[]> => {
  const where = screen.where === null ? "" : `&where=${encodeURIComponent(screen.where)}`;
  return (await somebody.get(`${calls}?limit=${screen.atOnce}${where}`)).list().items;
};

const emptyTiles = async (somebody: ApiClient, path: string, titles: readonly string[]): Promise<readonly string[]> => {
  const overview = (await somebody.get(`/_/overview?screen=${encodeURIComponent(path)}`)).body as OverviewJson;
  return titles.filter((_, at) => isEmptyTile(overview.tiles[at])).map((title) => `“${title}”`);
};

const isEmptyTile = (tile: OverviewJson["tiles"][number] | undefined): boolean => {
  switch (tile?.kind) {
    // It is meant for other people.
    case "absent":
      return false;
    case "count":
      return tile.count === 0;
    case "list":
      return tile.items.length === 0;
    case "chart":
      return tile.groups.every(({ value }) => value === null || Number(value) === 0);
    case "pivot":
      return tile.pivot.count === 0;
    case "figure":
      return tile.value === null;
    default:
      return true;
  }
};

const emptyInLayout = (rows: readonly Row[], layout: LayoutJson, entity: EntityJson, now: Date): readonly string[] => {
  if (layout.kind === "board") {
    const values = entity.fields.find(({ name }) => name === layout.field)?.values ?? [];
    return values.filter(({ value }) => rows.every((row) => row[layout.field] !== value)).map(({ value }) => value);
  }
  if (layout.kind !== "calendar") return [];
  return [0, 1].flatMap((weeks) => {
    const { from, to } = weekOf(now, weeks);
    const isIn = (row: Row) => {
      const [begins, ends] = [String(row[layout.from]), String(row[layout.to ?? layout.from])];
      return begins.slice(0, 10) <= to && ends.slice(0, 10) >= from;
    };
    return rows.some(isIn) ? [] : [`week ${weeks}`];
  });
};
