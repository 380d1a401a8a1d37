/** Types of the arguments that are not texts. */
interface ArgumentTypes {
  readonly not: boolean;
  readonly same: boolean;
  readonly here: boolean;
  readonly others: number;
  readonly count: number;
  readonly days: number;
  readonly hours: number;
  readonly action: "read" | "create" | "update" | "delete";
  readonly until: "administrators" | "nobody";
}

export type ArgumentsOf<Names extends readonly string[]> = {
  readonly [name in Names[number]]: name extends keyof ArgumentTypes ? ArgumentTypes[name] : string;
};
