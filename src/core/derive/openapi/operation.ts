import { withArticle } from "../../model/inflection.ts";
import type { JsonSchema } from "../../wire/json.ts";
import { decidingClauseId } from "../authorization/grants.ts";
import { possibleRefusals } from "../http/possible-errors.ts";
import type { Route } from "../http/routes.ts";
import { acceptedPartLists, type EntityView, grantsForRoute, isAsked, settableFields } from "./entity-view.ts";
import { buildParameters } from "./parameters.ts";
import { errorResponses, successResponse, tokenRefusals } from "./responses.ts";
import { bodyName, schemaNames } from "./schemas.ts";

export const conventionalOperation = (view: EntityView, route: Route, withRefusals: boolean): JsonSchema => {
  const { model, entity } = view;
  const { kind } = route.does;
  const body = kind === "create" || kind === "update" || kind === "transition";
  const fields = settableFields(view, route);
  const required = body && kind !== "update" && fields.some((field) => isAsked(view, route, field));
  return {
    operationId: `${entity.name}.${kind === "transition" ? (route.does as { transition: string }).transition : kind}`,
    tags: [entity.name],
    summary: operationSummary(view, route),
    "x-clause": getClause(view, route),
    "x-permitted-by": [...new Set(grantsForRoute(view, route).map((grant) => grant.clause))],
    parameters: buildParameters(view, route),
    ...(body
      ? {
          requestBody: {
            required,
            content: { "application/json": { schema: { $ref: `#/components/schemas/${bodyName(route)}` } } },
          },
        }
      : {}),
    responses: {
      ...successResponse(view, route),
      ...(withRefusals
        ? errorResponses(model, [
            ...possibleRefusals(model, route, new Set([...schemaNames(fields), ...acceptedPartLists(view, route)])),
            ...tokenRefusals(model, route.method === "GET"),
          ])
        : {}),
      "503": { $ref: "#/components/responses/Away" },
      default: { $ref: "#/components/responses/Fault" },
    },
  };
};

export const operationSummary = ({ entity, model }: EntityView, { does }: Route): string => {
  const { one, many } = entity.called;
  switch (does.kind) {
    case "list":
      return `List ${many}, page by page`;
    case "create":
      return `Create ${withArticle(one)}`;
    case "read":
      return `Get ${withArticle(one)}`;
    case "update":
      return `Update ${withArticle(one)}: only the fields that are sent`;
    case "delete":
      return `Delete ${withArticle(one)}`;
    case "history":
      return `History of ${withArticle(one)}, newest first`;
    case "transition":
      return `${model.entities.get(entity.name)?.states?.transitions.get(does.transition)?.title ?? does.transition}: move ${withArticle(one)} to another state`;
  }
};

const getClause = ({ entity }: EntityView, { does }: Route): string => {
  switch (does.kind) {
    case "list":
    case "read":
    case "history":
      return decidingClauseId(entity, "read");
    case "transition":
      return entity.states?.transitions.get(does.transition)?.clause.id ?? entity.clause.id;
    default:
      return decidingClauseId(entity, does.kind);
  }
};
