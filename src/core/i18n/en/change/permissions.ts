import type { TextsLike } from "../../catalogue.ts";
import type { permissionArguments } from "../../change-arguments/permissions.ts";

/** Lines about point 6 and sign-in: permissions, roles, approval, tokens. */
export const texts = {
  // Permissions
  "object.all": "all {many}",
  "object.some": "{many}",
  "object.none": "{many}",
  "object.fields.all": "the {fields} of all {many}",
  "object.fields.some": "the {fields} of {many}",
  "object.fields.none": "the {fields} of {many}",
  "object.except.all": "the fields of all {many} other than {fields}",
  "object.except.some": "the fields of {many} other than {fields}",
  "object.except.none": "the fields of {many} other than {fields}",
  "fields.other": "other fields",
  "object.new.some": "the {fields} of new {many}",
  "object.new.none": "the {fields} of new {many}",
  act: "{action, select, read {read} create {create} enter {enter} update {change} other {delete}} {object}",
  "act.transition.all": "make the transition {transition} of all {many}",
  "act.transition.some": "make the transition {transition} of {many}",
  "act.transition.none": "make the transition {transition} of {many}",
  can: "{who} can now {act}{anonymous, select, true {, even without signing in} other {}}.",
  "can.where": "{who} can now {act} where {condition}{anonymous, select, true {, even without signing in} other {}}.",
  "can.more": "{who} can now {act} in more cases.",
  "can.always": "{who} can now {act} in all cases.",
  "can.only": "{who} can now {act} only where {condition}.",
  "cannot.always": "{who} can now {act} in fewer cases.",
  cannot: "{who} can no longer {act}{anonymous, select, true {, even without signing in} other {}}.",
  "cannot.where":
    "{who} can no longer {act} where {condition}{anonymous, select, true {, even without signing in} other {}}.",
  "act.name": "{action, select, read {read} create {create} update {change} other {delete}}",
  "administrators.end":
    "The specification now says who has permissions, so administrators can no longer {acts} {many}.",
  "administrators.people.end":
    "The specification now says who has permissions, so administrators can no longer {acts} {many} on screens and with calls. Accounts and invitations stay with administrators.",
  "administrators.names.end":
    "The specification now says who can read {many}, so administrators no longer see people’s names in records and histories. Accounts and invitations stay with administrators.",
  "administrators.accounts":
    "The specification now says who has permissions for {many}. Accounts and invitations stay with administrators.",

  // Roles and approval
  "members.anyone": "assigned to anyone, even without signing in",
  "members.signed.in": "assigned to everyone who is signed in",
  "members.granted": "assigned by an administrator",
  "members.deputies": "for people who stand in for someone",
  "role.added": "New role {title}, {members}.",
  "role.removed": "The role {title} is removed.",
  "role.members": "The role {title} is now {members}.",
  "role.was.called": "The role {title} was called {before}.",
  "held.added": "New role {title} on each of the {many}.",
  "held.removed": "The role {title} of {many} is removed.",
  "held.more": "More people have the role {title} of {many}.",
  "held.fewer": "Fewer people have the role {title} of {many}.",
  "held.was.called": "The role {title} of {many} was called {before}.",
  "deputies.can": "People with the role {title} can now have a deputy.",
  "deputies.cannot": "People with the role {title} can no longer have a deputy.",
  "approval.can":
    "The role {title} can now {action, select, propose {propose} other {approve}} changes to the specification.",
  "approval.cannot":
    "The role {title} can no longer {action, select, propose {propose} other {approve}} changes to the specification.",
  "approval.count":
    "A change to the specification now needs {now, plural, one {1 approval} other {# approvals}} instead of {before, plural, one {1 approval} other {# approvals}}.",
  "approval.not.own": "People can no longer approve their own changes to the specification.",
  "approval.own": "People can now approve their own changes to the specification.",

  // Sign-in and tokens
  "password.on": "People can now sign in with a password.",
  "password.off": "People can no longer sign in with a password.",
  "basic.on": "Programs can now send an email address and a password with each request.",
  "basic.off": "Programs can no longer send an email address and a password with each request.",
  "provider.on": "People can now sign in with {title}.",
  "provider.off": "People can no longer sign in with {title}.",
  "provider.other":
    "Sign-in with {title} {member, select, title {has a different title} issuer {uses a different address of the provider} client {uses a different client ID} secret {uses a different client secret} other {changes}}.",
  "sign.in.off": "People no longer sign in to the application: everyone can now do what a visitor can do.",
  "sign.in.on": "People can now sign in to the application.",
  "sign.in.by": "People can also sign in with “{name}”.",
  "sign.in.by.email": "People can sign in only with their email address.",
  "register.on": "People can now register themselves.",
  "register.off": "People can no longer register themselves.",
  "register.any": "People can now register with any email address.",
  "register.at": "People can now register with an email address at {names}.",
  "register.at.once":
    "Accounts are now created immediately, without a link by email: people can register with an address that is not theirs.",
  "register.mailed": "Accounts are now created only with a link that is sent to the email address.",
  "register.roles": "People who register now get: {names}.",
  "register.asks": "People who register must now enter {names}.",
  "register.asks.nothing": "People who register no longer have to enter any extra fields.",
  "register.no.roles": "People who register now get no role.",
  "outgoing.added": "The application now calls another program: {name}.",
  "outgoing.removed": "The call {name} to another program is removed.",
  "outgoing.method": "The call {name} to another program now uses {now} instead of {before}.",
  "outgoing.address": "The call {name} to another program now goes to {now} instead of {before}.",
  "outgoing.retries":
    "The call {name} to another program is now retried {now, plural, one {once} other {# times}} instead of {before, plural, one {once} other {# times}}.",
  "outgoing.other":
    "The call {name} to another program {member, select, headers {sends different headers} secret {uses a different secret} chat {goes to a different service} other {changes}}.",
  "outgoing.readers": "Messages to {name} now contain what {now} can read, instead of what {before} can read.",
  "readers.visitors": "people who are not signed in",
  "errors.form": "Refused calls now get their errors in a different format.",
  "origins.added": "Pages on {names} can now call the application.",
  "origins.removed": "Pages on {names} can no longer call the application.",
  "tokens.by": "API tokens can now be created by: {names}.",
  "tokens.by.nobody": "API tokens can no longer be created.",
  "tokens.days": "API tokens are now valid for at most {now} days instead of {before}.",
  "tokens.scheme": "API tokens are now sent as {now} instead of {before}.",
} satisfies TextsLike<typeof permissionArguments>;
