import type { MailTexts } from "../catalogue.ts";

export const texts = {
  "register.subject": "Your account at {application}",
  "register.text":
    "Somebody, probably you, asked for an account at {application}.\n\nMake it here; the link works once and holds for a day:\n{link}\n\nIf it was not you, there is nothing to do.\n",
  "known.subject": "Your account at {application}",
  "known.text":
    "Somebody, probably you, asked for an account at {application}. You have one already.\n\nSign in here:\n{link}\n\nIf you do not know your password any more, an administrator makes a link for a new one.\n",
  "invited.subject": "Your account at {application}",
  "invited.text":
    "You have an account at {application}.\n\nChoose your password here; the link works once and holds for {days} days:\n{link}\n",
  "password.subject": "Your password at {application}",
  "password.text":
    "An administrator of {application} made you a link for a new password.\n\nIt works once and holds for {hours} hours:\n{link}\n\nThe password that you have goes on working until then.\n",
  "password.set.subject": "Your password at {application} was changed",
  "password.set.text":
    "The password of your account at {application} was changed on {at}, from the address {from}. All other sessions have ended, and so have your tokens for programs.\n\nIf it was not you, tell an administrator at once.\n",
  "address.changed.subject": "Your email address at {application} was changed",
  "address.changed.text":
    "The email address of your account at {application} was changed on {at}, from {from} to {to}. You sign in with the new one.\n\nIf that is not right, tell an administrator at once.\n",
  "token.made.subject": "A new token for your account at {application}",
  "token.made.text":
    "The token “{name}” was made for your account at {application} on {at}, from the address {from}. A program that has it can do in your name what the token allows.\n\nIf it was not you, end the token on the page of your account, change your password, and tell an administrator.\n",
  "token.ended.subject": "A token of your account at {application} was ended",
  "token.ended.text":
    "A token for a program was ended at {application} on {at}, from the address {from}. The program that has it is not let in any more.\n\nThe page of your account shows the tokens that hold.\n",
  "only.domains": "Only addresses of {domains} can register.",
} satisfies MailTexts;
