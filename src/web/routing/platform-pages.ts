/**
 * Platform pages, available in every application in addition to the document's screens, and the people who may open
 * them. For anybody else, their addresses do not exist.
 */
export const pages = {
  "/sign-in": "anybody",
  "/sign-in/account": "person",
  "/sign-in/notifications": "person",
  "/sign-in/trash": "person",
  "/workbench": "administrator",
  "/workbench/start": "administrator",
  "/workbench/document": "author",
  "/workbench/versions": "author",
  "/workbench/retired": "administrator",
  "/workbench/compare": "author",
  "/workbench/records": "author",
  "/workbench/proposals": "author",
  "/workbench/proposals/{id}": "author",
  "/workbench/map": "administrator",
  "/workbench/who": "administrator",
  "/workbench/people": "administrator",
  "/workbench/people/{id}": "administrator",
  "/workbench/sign-ins": "administrator",
  "/workbench/unsent": "administrator",
} as const satisfies { readonly [path: string]: "anybody" | "person" | "author" | "administrator" };

/** The part of the account page’s address that shows who stands in for whom. */
export const SHOW_DEPUTIES = "deputy=all";

export type PagePath = keyof typeof pages;
