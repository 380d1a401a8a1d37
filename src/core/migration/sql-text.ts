import { identifier, type Sql, sql } from "../sql.ts";

export const raw = (text: string): Sql => ({ kind: "sql", parts: [text] });

export const inApp = (table: string): Sql => sql`"app".${identifier(table)}`;
