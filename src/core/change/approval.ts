import { roleTitle } from "../explain/roles.ts";
import type { Approval, Model } from "../model/model.ts";
import { type ComparedLine, createLine } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";

/** Lines about the people who propose and approve changes of the document (point 6). */
export const compareApproval = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const [one, other] = [before.approval, after.approval];
  const line = (
    effect: ComparedLine["effect"],
    text: string,
    loses: ComparedLine["loses"] = null,
    subject = "changes",
  ): ComparedLine => createLine({ point: 6, subject, effect, text, loses }, { before: one, after: other });
  const withAction = (action: "propose" | "approve"): readonly ComparedLine[] => [
    ...missingFrom(one[action], other[action]).map((role) =>
      line("allows", `The role “${titleOf(after, role)}” can now ${action} changes of the specification.`),
    ),
    ...missingFrom(other[action], one[action]).map((role) =>
      line(
        "forbids",
        `The role “${titleOf(before, role)}” can no longer ${action} changes of the specification.`,
        "access",
      ),
    ),
  ];
  return [
    ...withAction("propose"),
    ...withAction("approve"),
    ...(one.approvals === other.approvals
      ? []
      : [
          line(
            other.approvals > one.approvals ? "forbids" : "allows",
            `A change of the specification now needs ${count(other)} instead of ${count(one)}.`,
          ),
        ]),
    ...(one.byAnother === other.byAnother
      ? []
      : [
          other.byAnother
            ? line("forbids", "People can no longer approve their own changes of the specification.", "access")
            : line("allows", "People can now approve their own changes of the specification."),
        ]),
  ];
};

const missingFrom = (known: readonly string[], roles: readonly string[]): readonly string[] =>
  roles.filter((role) => !known.includes(role));

const titleOf = (model: Model, role: string): string => roleTitle(model, role, null);

const count = ({ approvals }: Approval): string => (approvals === 1 ? "1 approval" : `${approvals} approvals`);
