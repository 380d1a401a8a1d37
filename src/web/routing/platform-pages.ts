/**
 * The platform's own pages, which stand in every application beside the document's screens, and who may open them. To
 * anybody else there is nothing at their addresses.
 */
export const pages = {
  "/sign-in": "anybody",
  "/sign-in/account": "person",
  "/sign-in/notifications": "person",
  "/workbench": "administrator",
  "/workbench/document": "administrator",
  "/workbench/map": "administrator",
  "/workbench/who": "administrator",
  "/workbench/people": "administrator",
  "/workbench/people/{id}": "administrator",
  "/workbench/sign-ins": "administrator",
} as const satisfies { readonly [path: string]: "anybody" | "person" | "administrator" };

export type PagePath = keyof typeof pages;
