import type { MailTexts } from "../mail-arguments.ts";
import { texts as targets } from "./targets.ts";

export const texts = {
  "register.subject": "Confirm your email for {application}",
  "register.text":
    "Confirm your email to create your {application} account. The link works once and is valid for 24 hours.\n\nConfirm email:\n{link}\n\nDidn’t ask for this? Ignore this email.\n",
  "known.subject": "Your account at {application}",
  "known.text":
    "You already have an account at {application}.\n\nSign in:\n{link}\n\nForgot your password? Choose “Forgot password?” on that page.\n\nDidn’t ask for this? Ignore this email.\n",
  "invited.subject": "{person} invited you to {application}",
  "invited.who": "{person} invited you to {application}.",
  "invited.text":
    "Set your password to get started. The link works once and is valid for {days} days.\n\nSet password:\n{link}\n\nAfter that, sign in at {site} with this email address.\n\nDidn’t expect this invitation? Ignore this email.\n",
  "password.subject": "Reset your {application} password",
  "password.text":
    "{person} sent you this link to reset your {application} password. It works once and is valid for {hours} hours.\n\nReset password:\n{link}\n\nYour current password works until you set a new one.\n\nDidn’t expect this? Ignore this email.\n",
  "forgotten.subject": "Reset your {application} password",
  "forgotten.text":
    "Someone asked for a link to reset your {application} password. It works once and is valid for one hour.\n\nReset password:\n{link}\n\nYour current password works until you set a new one.\n\nDidn’t ask for this? Ignore this email.\n",
  "first.subject": "Set your {application} password",
  "first.text":
    "Someone asked for a link to set your {application} password. It works once and is valid for one hour.\n\nSet password:\n{link}\n\nDidn’t ask for this? Ignore this email.\n",
  "password.set.subject": "Your {application} password was changed",
  "password.set.text":
    "The password of your {application} account was changed on {at}, from the IP address {from}. All other sessions were ended and your API tokens were revoked.\n\nIf this wasn’t you, choose “Forgot password?” on the sign-in page and tell an administrator immediately.\n\nSign in:\n{link}\n",
  "address.changed.subject": "Your {application} email address was changed",
  "address.changed.text":
    "The email address of your {application} account was changed on {at}, from {from} to {to}. Use the new address to sign in.\n\nIf this isn’t right, tell an administrator immediately.\n",
  "token.made.subject": "New API token for your {application} account",
  "token.made.text":
    "The API token “{name}” was created for your {application} account on {at}, from the IP address {from}. A program with this token can act as you, within what the token allows.\n\nIf this wasn’t you, revoke the token on your account page, change your password and tell an administrator.\n\nOpen account:\n{link}\n",
  "token.ended.subject": "An API token of your {application} account was revoked",
  "token.ended.text":
    "The API token “{name}” of your {application} account was revoked on {at}, from the IP address {from}. The program that used it no longer has access.\n\nYour account page lists the tokens that are still valid.\n\nOpen account:\n{link}\n",
  "proposal.subject": "{application}: proposal {number} is waiting for approval",
  "proposal.text":
    "{event, select, person {{name} proposed a change to the specification of {application}} file {The server of {application} started with a changed specification file} operator {An operator proposed a change to the specification of {application}} other {A proposed change to the specification of {application} has new text, so it needs new approvals}}. Approve or reject it (proposal {number}).\n\nOpen proposal:\n{link}\n\nYou get this email because you can approve changes to {application}.\n",
  "notice.subject": "{application}: new notification",
  "notice.open": "Open",
  "notice.act": "“{title}”",
  "notice.acts":
    "{count, plural, one {The link {acts} works once, for {hours, plural, one {# hour} other {# hours}}, and acts as you} other {The links {acts} work once, for {hours, plural, one {# hour} other {# hours}}, and act as you}}. Don’t forward this email.",
  "notice.others": "and {count, plural, one {# more} other {# more}}",
  "notice.deputy": "On these days, you can do this for {person}:",
  "notice.all": "All notifications",
  "notice.foot":
    "You get this email because {application} sends you notifications {timing, select, daily {once a day at {time}} other {at once}}.",
  "notice.settings": "Email settings",
  "notice.stop": "Unsubscribe",
  "digest.subject": "{application}: {count, plural, one {# notification} other {# notifications}}",
  "report.rows": "{count, plural, one {# {thing}} other {# {things}}}",
  "report.more": "The first {shown} of {total}",
  "report.empty": "None at the moment.",
  "report.earlier": "{count, plural, one {# earlier period} other {# earlier periods}}",
  ...targets,
  "report.foot":
    "You get this email because {application} sends “{title}” {on, select, day {every day} month {on the first day of each month} monday {every Monday} tuesday {every Tuesday} wednesday {every Wednesday} thursday {every Thursday} friday {every Friday} saturday {every Saturday} sunday {every Sunday} other {on working days}} at {time}.",
  "report.file": "The attached file has the first {count, number} rows.",
  "report.total": "Total",
  "report.none": "No {field}",
  "report.others": "{count, plural, one {1 other} other {# others}}",
  "letter.unprintable":
    "This file can’t show some characters. They appear as □. The page in the application shows them.",
  "only.domains": "Only addresses at {domains} can register.",
} satisfies MailTexts;
