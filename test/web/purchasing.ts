import type { Page } from "playwright-core";
import { visitAs } from "./browser.ts";

/** Opens the purchase requests of the example, as finance, which sees all of them. */
export const visitRequests = async (url: string, query = "", width = 1440): Promise<Page> => {
  const page = await visitAs(url, "Lukas Brandt", { path: `/requests${query}`, width });
  await page.locator("main [data-row]").first().waitFor();
  return page;
};
