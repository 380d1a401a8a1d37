/**
 * Platform pages, available in every application in addition to the document's screens, and the people who may open
 * them. For anybody else, their addresses do not exist.
 */
export const pages = {
  "/sign-in": "anybody",
  "/sign-in/account": "person",
  "/sign-in/notifications": "person",
  "/workbench": "administrator",
  "/workbench/document": "administrator",
  "/workbench/versions": "administrator",
  "/workbench/retired": "administrator",
  "/workbench/compare": "administrator",
  "/workbench/map": "administrator",
  "/workbench/who": "administrator",
  "/workbench/people": "administrator",
  "/workbench/people/{id}": "administrator",
  "/workbench/sign-ins": "administrator",
} as const satisfies { readonly [path: string]: "anybody" | "person" | "administrator" };

export type PagePath = keyof typeof pages;
