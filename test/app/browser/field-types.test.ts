import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { complaints, member, visitAs } from "../../web/browser.ts";
import { type RunningApplication, serveDemonstration } from "../program.ts";

const text = `
# Orders

## 1. What the product does and for whom
People order.

\`\`\`yaml
locale: en-GB
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order:
  label: "{number}: {title}"
  fields:
    number:   { type: sequence, pattern: "O-{year}-{n:4}" }
    title:    text
    price:    { type: money, currency: EUR, max: 1000 }
    opens:    time?
    patience: duration?
    body:     rich text?
    extra:    json?
    proof:    file?
    photo:    image?
    shots:    { type: image, many: true }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Order: { read: member, create: member, update: member, delete: member } }
\`\`\`
`;

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Pictures load when they come into view. */
const widthOf = async (picture: Locator): Promise<number> => {
  await picture.scrollIntoViewIfNeeded();
  return picture.evaluate(async (img) => {
    await (img as HTMLImageElement).decode();
    return (img as HTMLImageElement).naturalWidth;
  });
};

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ text });
});

describe("the controls of the field types", () => {
  test("accept input, upload files, and show what was saved", async () => {
    const page = await visitAs(program.url, member, { path: "/orders/new" });
    await page.getByRole("textbox", { name: "Title" }).fill("Ladders");
    await page.getByRole("textbox", { name: "Price" }).fill("1,234.5");
    await page.getByRole("textbox", { name: "Opens" }).fill("8.30");
    const patience = page.getByRole("textbox", { name: "Patience" });
    await patience.fill("1.5 h and a bit");
    await page.getByRole("textbox", { name: "Title" }).focus();
    await page.getByText("Patience: enter a duration").waitFor();
    await patience.fill("2 weeks 90 min");
    await page.getByRole("textbox", { name: "Title" }).focus();
    await expect.poll(() => patience.inputValue()).toBe("14 days, 1 hour, 30 minutes");
    const body = page.getByRole("textbox", { name: "Body" });
    await body.fill("Two ladders");
    await body.selectText();
    await page.getByRole("toolbar", { name: "Formatting for Body" }).getByRole("button", { name: "Bold" }).click();
    await expect.poll(() => body.inputValue()).toBe("**Two ladders**");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("strong").filter({ hasText: "Two ladders" }).waitFor();
    await page.getByRole("textbox", { name: "Extra" }).fill('{"a": [1, 2]}');
    await page
      .getByLabel("Proof", { exact: true })
      .setInputFiles({ name: "proof.txt", mimeType: "text/html", buffer: Buffer.from("<b>") });
    await page.getByText("proof.txt").waitFor();
    await page
      .getByLabel("Photo", { exact: true })
      .setInputFiles({ name: "fake.png", mimeType: "image/png", buffer: Buffer.from("no") });
    await page.getByText("fake.png").waitFor();
    await page.getByRole("button", { name: /^Create / }).click();
    await page.getByText("Price must be at most €1,000.00.").first().waitFor();
    await page.getByRole("textbox", { name: "Price" }).fill("12.5");
    await page.getByRole("button", { name: /^Create / }).click();
    await page
      .getByText(
        "The image in Photo must be a PNG, JPEG, GIF, WebP or AVIF file that you uploaded within the last day. Upload it again.",
      )
      .first()
      .waitFor();
    await page
      .getByLabel("Photo", { exact: true })
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PNG });
    await page.getByText("dot.png").waitFor();
    const shots = page.getByLabel("Shots", { exact: true });
    const shot = (name: string) => ({ name, mimeType: "image/png", buffer: PNG });
    await shots.setInputFiles([shot("front.png"), shot("wrong.png")]);
    await page.getByRole("button", { name: "Remove wrong.png" }).waitFor();
    await shots.setInputFiles(shot("back.png"));
    await page.getByRole("button", { name: "Remove back.png" }).waitFor();
    await page.getByRole("button", { name: "Remove wrong.png" }).press("Enter");
    await page.getByText("wrong.png").waitFor({ state: "detached" });
    await expect.poll(() => shots.evaluate((control) => control === document.activeElement)).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: /^Create / }).click();

    await page.getByRole("heading", { level: 1, name: /^O-\d{4}-\d{4}: Ladders$/ }).waitFor();
    for (const words of ["€12.50", "08:30", "14 days, 1 hour, 30 minutes"])
      await page.getByText(words, { exact: true }).first().waitFor();
    await page.getByRole("strong").filter({ hasText: "Two ladders" }).waitFor();
    const link = page.getByRole("link", { name: /proof\.txt/ });
    await expect.poll(() => link.getAttribute("href")).toMatch(/^\/api\/orders\/[0-9a-f-]+\/files\/[0-9a-f-]+$/);
    const picture = page.getByRole("link", { name: /dot\.png/ }).locator("img");
    expect(await widthOf(picture)).toBe(1);
    const several = page.getByRole("link", { name: /(front|back)\.png/ });
    await expect
      .poll(() => several.evaluateAll((links) => links.map((one) => one.getAttribute("download"))))
      .toEqual([null, null]);
    await expect.poll(() => several.locator("bdi").allTextContents()).toEqual(["front.png", "back.png"]);
    for (const img of await several.locator("img").all()) expect(await widthOf(img)).toBe(1);
    await page.getByRole("link", { name: "Edit" }).first().click();
    await page.getByRole("button", { name: "Remove front.png" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await expect.poll(() => several.locator("bdi").allTextContents()).toEqual(["back.png"]);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });
});
