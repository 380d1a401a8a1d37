import { describe, expect, test } from "vitest";
import { avoidSkippedTimes, type EntrySpan } from "../../../src/web/calendar/entry-layout.ts";
import { withBegin } from "../../../src/web/field/form-values.ts";
import { enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { findErrors, readForm } from "../../../src/web/form/state/send-form.ts";
import { unreadableText } from "../../../src/web/format/input-value.ts";
import { localInstant } from "../../../src/web/format/time-zone.ts";
import { field } from "../lending.ts";

const timezone = "Europe/Berlin";
const here = { locale: "en-GB", timezone, booleans: { yes: "Yes", no: "No" }, today: "2027-03-01" };

describe("in a form", () => {
  const begins = field("begins", "datetime");
  const fields = [begins, field("ends", "datetime", { begin: { field: "begins", period: true } })];
  const filled = (day: string, from: string, to: string) =>
    [
      ["begins", `${day}\n${from}`],
      ["ends", `${day}\n${to}`],
    ].reduce(
      (form, [name = "", text = ""]) => leaveField(enterValue(form, name, text, here), name, here),
      openForm("create", fields, null, here),
    );

  test("a time that clocks skip is an error at its field, which says so, and is not taken for a later one", () => {
    const form = filled("28 Mar 2027", "02:30", "03:00");
    const errors = findErrors(form, "begins");
    expect(errors).toMatchObject([{ kind: "unreadable", entered: "28 Mar 2027\n02:30" }]);
    expect(unreadableText(begins, "28 Mar 2027\n02:30", here)).toBe("unreadable.skipped");
    expect(unreadableText(begins, "28 Mar 2027\n25:30", here)).toBe("unreadable.datetime");
    expect(findErrors(form, "ends")).toEqual([]);
    expect(readForm(form, here).kind).toBe("form");
    const mended = leaveField(enterValue(form, "begins", "28 Mar 2027\n01:30", here), "begins", here);
    expect(readForm(mended, here)).toMatchObject({
      body: { begins: "2027-03-28T00:30:00.000Z", ends: "2027-03-28T01:00:00.000Z" },
    });
  });

  test("a skipped time on a day that counts from the begin of a period is named as such", () => {
    const form = filled("27 Mar 2027", "10:00", "11:00");
    const [error] = findErrors(leaveField(enterValue(form, "ends", "+1\n02:30", here), "ends", here), "ends");
    const [, ends] = fields;
    if (error?.kind !== "unreadable" || error.beside === undefined || ends === undefined) throw new Error("no error");
    const counted = withBegin(ends, error.beside, here);
    expect(unreadableText(ends, error.entered ?? "", counted)).toBe("unreadable.skipped");
  });

  test("a time that occurs twice is the later one, as in rules", () => {
    expect(readForm(filled("31 Oct 2027", "02:30", "03:00"), here)).toMatchObject({
      body: { begins: "2027-10-31T01:30:00.000Z", ends: "2027-10-31T02:00:00.000Z" },
    });
  });
});

describe("an entry of a calendar", () => {
  const moved = (from: string, time: string, until: string, direction?: 1 | -1) => {
    const span: EntrySpan = { from, to: from, time, until };
    const avoided = avoidSkippedTimes(span, timezone, direction);
    const [begin, end] = [avoided.time, avoided.until].map((clock) => localInstant(from, clock ?? "", timezone) ?? "");
    return [avoided.time, avoided.until, (Date.parse(end ?? "") - Date.parse(begin ?? "")) / 60_000];
  };

  test("that is moved to a skipped time is as much later and as long, so that its end stays after its begin", () => {
    expect(moved("2027-03-28", "02:30", "03:00")).toEqual(["03:30", "04:00", 30]);
    expect(moved("2027-03-28", "02:00", "03:00")).toEqual(["03:00", "04:00", 60]);
    expect(moved("2027-03-28", "02:15", "02:45")).toEqual(["03:15", "03:45", 30]);
    expect(moved("2027-03-28", "01:30", "02:30")).toEqual(["01:30", "03:30", 60]);
    expect(moved("2027-03-28", "03:00", "04:00")).toEqual(["03:00", "04:00", 60]);
  });

  test("that is moved up over the skipped hour by keys does not stay below it", () => {
    expect(moved("2027-03-28", "02:45", "03:45", -1)).toEqual(["01:45", "03:45", 60]);
  });

  test("that is moved up to a skipped midnight stays on its day", () => {
    const span: EntrySpan = { from: "2027-04-30", to: "2027-04-30", time: "00:45", until: "01:45" };
    expect(avoidSkippedTimes(span, "Africa/Cairo", -1)).toEqual({ ...span, time: "01:45", until: "02:45" });
  });

  test("keeps its times on the day with an hour more", () => {
    expect(moved("2027-10-31", "02:30", "03:00")).toEqual(["02:30", "03:00", 30]);
    expect(moved("2027-10-31", "01:30", "03:00")).toEqual(["01:30", "03:00", 150]);
  });

  test("without times, or over several days, keeps its days", () => {
    const days: EntrySpan = { from: "2027-03-27", to: "2027-03-28", time: null, until: null };
    expect(avoidSkippedTimes(days, timezone)).toEqual(days);
    const night: EntrySpan = { from: "2027-03-27", to: "2027-03-28", time: "22:00", until: "02:30" };
    expect(avoidSkippedTimes(night, timezone)).toEqual({ ...night, until: "03:30" });
  });
});
