import type { Query, Row } from "../../postgres/database.ts";

/** What a plan asks of the store step by step, within one transaction; each step gets its rows. */
export type Steps<T> = Generator<Query, T, readonly Row[]>;
