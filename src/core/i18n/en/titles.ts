import type { TitleTexts } from "../catalogue.ts";

export const texts = {
  "approvals.void": "Approvals void",
} satisfies TitleTexts;
