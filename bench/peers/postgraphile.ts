import type { Dialect, LeaveRecord } from "../leave/dialect.ts";
import type { Answer, LoadRequest } from "../leave/load.ts";

const short = `id: rowId version createdAt updatedAt employee: personByEmployeeId { id: rowId label: name }
  kind firstDay lastDay days status`;
const full = `${short} note`;

const documents = {
  read: `query Read($id: UUID!) { requestByRowId(rowId: $id) { ${full} } }`,
  list: `query List($status: String!, $after: Cursor) {
  allRequests(condition: { status: $status }, orderBy: [FIRST_DAY_DESC, ROW_ID_DESC], first: 50, after: $after) {
    nodes { ${short} }
    pageInfo { hasNextPage endCursor }
  }
}`,
  create: `mutation Create($request: RequestInput!) { createRequest(input: { request: $request }) { request { ${full} } } }`,
  submit: `mutation Submit($id: UUID!) { submit(input: { id: $id }) { request: result { ${full} } } }`,
  grant: `mutation Grant($id: UUID!) { grant(input: { id: $id }) { request: result { ${full} } } }`,
};

interface Json {
  readonly [member: string]: unknown;
}
interface Data {
  readonly requestByRowId?: Json;
  readonly createRequest?: { readonly request: Json };
  readonly submit?: { readonly request: Json };
  readonly grant?: { readonly request: Json };
  readonly allRequests: {
    readonly nodes: readonly Json[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const dataOf = ({ body }: Answer): Data => (JSON.parse(body) as { readonly data: Data }).data;

const toRecord = ({ createdAt, updatedAt, firstDay, lastDay, ...same }: Json): LeaveRecord =>
  ({
    ...same,
    created_at: createdAt,
    updated_at: updatedAt,
    first_day: firstDay,
    last_day: lastDay,
  }) as unknown as LeaveRecord;

const shot = (query: string, variables: object, person: number): LoadRequest => ({
  method: "POST",
  path: "/graphql",
  person,
  body: JSON.stringify({ query, variables }),
});

/** GraphQL for the same calls, as PostGraphile derives it from the tables of the server by hand. */
export const postgraphile: Dialect = {
  read: (id, person) => shot(documents.read, { id }, person),
  list: (status, after, person) => shot(documents.list, { status, after }, person),
  create: ({ kind, first_day: firstDay, last_day: lastDay, note }, person) =>
    shot(documents.create, { request: { kind, firstDay, lastDay, note } }, person),
  move: (act, id, person) => shot(act === "submit" ? documents.submit : documents.grant, { id }, person),
  // A refusal has the status 200. A record that cannot be read is null, without an error.
  isRefused: ({ status, body }) => status !== 200 || body.includes('"errors":[') || body.includes('ByRowId":null'),
  toRecord: (answer) => {
    const { requestByRowId, createRequest, submit, grant } = dataOf(answer);
    const found = requestByRowId ?? (createRequest ?? submit ?? grant)?.request;
    if (found === undefined) throw new Error(`no record: ${answer.body}`);
    return toRecord(found);
  },
  toPage: (answer) => {
    const { nodes, pageInfo } = dataOf(answer).allRequests;
    return { items: nodes.map(toRecord), next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
  },
};
