import type { Model } from "../../model/model.ts";
import type { Approval } from "../../model/permissions.ts";
import { holdsRole, isAdministrator, type Principal } from "./grants.ts";

/** The rights of a person on changes of the document, under the live version. */
export interface ChangeRights {
  /** To read the whole text, versions and proposals. */
  readonly read: boolean;
  readonly propose: boolean;
  readonly approve: boolean;
  /** To publish a change without a proposal. */
  readonly publish: boolean;
}

const holdsOne = (model: Model, roles: readonly string[], person: Principal): boolean =>
  person.id !== null && roles.some((role) => holdsRole(model, role, person));

/** The rights of a person on changes of the document. */
export const changeRights = (model: Model, person: Principal): ChangeRights => {
  const { approval } = model;
  const propose = holdsOne(model, approval.propose, person);
  const approve = holdsOne(model, approval.approve, person);
  return {
    read: propose || approve || isAdministrator(person),
    propose,
    approve,
    publish: propose && approve && !needsOthers(approval),
  };
};

/** True if nobody can publish a change alone. */
export const needsOthers = ({ approvals, byAnother }: Approval): boolean => approvals > 1 || byAnother;
