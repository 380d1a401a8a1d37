import type { TitleTexts } from "../catalogue.ts";

export const texts = {
  "approvals.void": "Approbations annulées",
} satisfies TitleTexts;
