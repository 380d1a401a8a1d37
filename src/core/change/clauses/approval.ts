import { roleTitle } from "../../explain/roles.ts";
import { type Message, quoted, say } from "../../i18n/message.ts";
import type { Model } from "../../model/model.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";

/** Lines about the people who propose and approve changes of the document (point 6). */
export const compareApproval = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const [one, other] = [before.approval, after.approval];
  const line = (
    effect: ComparedLine["effect"],
    message: Message,
    loses: ComparedLine["loses"] = null,
    subject = "changes",
  ): ComparedLine => createLine({ point: 6, subject, effect, message, loses }, { before: one, after: other });
  const compareAction = (action: "propose" | "approve"): readonly ComparedLine[] => [
    ...missingFrom(one[action], other[action]).map((role) =>
      line("allows", say("approval.can", { title: quoted(getTitle(after, role)), action })),
    ),
    ...missingFrom(other[action], one[action]).map((role) =>
      line("forbids", say("approval.cannot", { title: quoted(getTitle(before, role)), action }), "access"),
    ),
  ];
  return [
    ...compareAction("propose"),
    ...compareAction("approve"),
    ...(one.approvals === other.approvals
      ? []
      : [
          line(
            other.approvals > one.approvals ? "forbids" : "allows",
            say("approval.count", { now: other.approvals, before: one.approvals }),
          ),
        ]),
    ...(one.byAnother === other.byAnother
      ? []
      : [
          other.byAnother
            ? line("forbids", say("approval.not.own", {}), "access")
            : line("allows", say("approval.own", {})),
        ]),
  ];
};

const missingFrom = (known: readonly string[], roles: readonly string[]): readonly string[] =>
  roles.filter((role) => !known.includes(role));

const getTitle = (model: Model, role: string): string => roleTitle(model, role, null);
