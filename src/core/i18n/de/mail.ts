import type { MailTexts } from "../catalogue.ts";

export const texts = {
  "register.subject": "Ihr Konto bei {application}",
  "register.text":
    "Jemand, vermutlich Sie, hat ein Konto bei {application} erbeten.\n\nLegen Sie es hier an; der Link gilt einmal und einen Tag lang:\n{link}\n\nWaren Sie es nicht, ist nichts zu tun.\n",
  "known.subject": "Ihr Konto bei {application}",
  "known.text":
    "Jemand, vermutlich Sie, hat ein Konto bei {application} erbeten. Sie haben schon eines.\n\nMelden Sie sich hier an:\n{link}\n\nKennen Sie Ihr Passwort nicht mehr, macht eine Administratorin oder ein Administrator einen Link für ein neues.\n",
  "invited.subject": "Ihr Konto bei {application}",
  "invited.text":
    "Sie haben ein Konto bei {application}.\n\nWählen Sie hier Ihr Passwort; der Link gilt einmal und {days} Tage lang:\n{link}\n",
  "password.subject": "Ihr Passwort bei {application}",
  "password.text":
    "Eine Administratorin oder ein Administrator von {application} hat Ihnen einen Link für ein neues Passwort gemacht.\n\nEr gilt einmal und {hours} Stunden lang:\n{link}\n\nBis dahin gilt das Passwort, das Sie haben.\n",
  "password.set.subject": "Ihr Passwort bei {application} wurde geändert",
  "password.set.text":
    "Das Passwort Ihres Kontos bei {application} wurde am {at} geändert, von der Adresse {from}. Alle anderen Sitzungen sind beendet, ebenso Ihre Schlüssel für Programme.\n\nWaren Sie es nicht, sagen Sie es sofort der Administration.\n",
  "address.changed.subject": "Ihre E-Mail-Adresse bei {application} wurde geändert",
  "address.changed.text":
    "Die E-Mail-Adresse Ihres Kontos bei {application} wurde am {at} von {from} in {to} geändert. Sie melden sich mit der neuen an.\n\nStimmt das nicht, sagen Sie es sofort der Administration.\n",
  "token.made.subject": "Ein neuer Schlüssel für Ihr Konto bei {application}",
  "token.made.text":
    "Für Ihr Konto bei {application} wurde am {at} der Schlüssel „{name}“ angelegt, von der Adresse {from}. Ein Programm, das ihn hat, kann in Ihrem Namen tun, was der Schlüssel erlaubt.\n\nWaren Sie es nicht, beenden Sie ihn auf der Seite Ihres Kontos, ändern Sie Ihr Passwort, und sagen Sie es der Administration.\n",
  "token.ended.subject": "Ein Schlüssel Ihres Kontos bei {application} wurde beendet",
  "token.ended.text":
    "Ein Schlüssel für ein Programm wurde bei {application} am {at} beendet, von der Adresse {from}. Das Programm, das ihn hat, kommt nicht mehr hinein.\n\nDie Seite Ihres Kontos zeigt die Schlüssel, die gelten.\n",
  "only.domains": "Nur Adressen von {domains} können sich registrieren.",
} satisfies MailTexts;
