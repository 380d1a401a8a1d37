import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildManifest } from "../../src/core/derive/client/app-manifest.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { compiled, example } from "../app/program.ts";

/** The entity of an example as somebody with these roles knows it. */
const known = (name: string, entity: string, roles: readonly string[] = []) => {
  const { model } = compiled(readFileSync(example(name), "utf8"));
  return buildManifest(model, { id: "p", granted: new Set(roles) }, getPhrasesFor("en")).entities[entity];
};

const facts = (name: string, transition: string, roles: readonly string[] = []): readonly string[] => {
  const [entity = "", named] = transition.split(".");
  const { states } = known(name, entity, roles) ?? {};
  const { shows = [] } = states?.transitions.find((one) => one.name === named) ?? {};
  return shows.map(({ field, of }) => (of === undefined ? field : `${of}.${field}`));
};

describe("the facts of a decision", () => {
  test("are what is computed from the values of others that its rules read", () => {
    // The rule reads the allowance and what was carried over.
    expect(facts("leave-desk", "Request.grant")).toContain("employee.days_left");
    expect(facts("leave-desk", "Request.grant")).not.toContain("employee.allowance");
    expect(facts("purchasing", "PurchaseRequest.approve")).toContain("department.remaining_budget");
  });
  test("are what the transition to the present state asked for, and the number that it drew", () => {
    expect(facts("help-desk", "Ticket.accept")).toContain("solution");
    expect(facts("help-desk", "Ticket.solve", ["agent"])).toContain("still_wrong");
    expect(facts("purchasing", "PurchaseRequest.receive", ["receiver"])).toEqual(
      expect.arrayContaining(["order_number", "supplier", "delivery"]),
    );
  });
  test("are what the document chooses, as far as the person can read it", () => {
    expect(facts("purchasing", "PurchaseRequest.release", ["finance"])).toEqual(["net", "department.remaining_budget"]);
    expect(facts("purchasing", "Invoice.object", ["finance"])).toEqual(["amount", "request.arrived_value"]);
    const text = readFileSync(example("help-desk"), "utf8");
    const chosen = (shows: string) => {
      const { model } = compiled(text.replace("accept:    {", `accept:    { shows: ${shows},`));
      const { entities } = buildManifest(model, { id: "p", granted: new Set() }, getPhrasesFor("en"));
      return entities.Ticket?.states?.transitions.find(({ name }) => name === "accept")?.shows;
    };
    // Requesters see the solution, not its cause.
    expect(chosen("[cause, solution, assignee.name]")).toEqual([
      { field: "solution" },
      { field: "name", of: "assignee" },
    ]);
    expect(chosen("none")).toBeUndefined();
  });
  test("leave out what the dialog asks for, and what the person cannot read", () => {
    expect(facts("help-desk", "Ticket.solve", ["agent"])).not.toContain("solution");
    // The solution is for all who read the ticket; its cause is for the desk.
    expect(facts("help-desk", "Ticket.accept")).not.toContain("cause");
  });
});

test("a rule that keeps people from being in two places says in which states others are busy too", () => {
  expect(known("leave-desk", "Request")?.overlaps).toMatchObject([{ concurrent: ["submitted", "granted", "booked"] }]);
  // An instrument is no person: other instruments at the same time say nothing about a booking.
  expect(known("booking", "Booking")?.overlaps?.[0]).not.toHaveProperty("concurrent");
});
