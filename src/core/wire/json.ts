/** Plain JSON, and a schema of it. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = { readonly [keyword: string]: Json };
