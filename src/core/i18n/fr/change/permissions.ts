import type { TextsLike } from "../../catalogue.ts";
import type { permissionArguments } from "../../change-arguments/permissions.ts";

export const texts = {
  // Permissions
  "object.all": "toutes les fiches ({many})",
  "object.some": "les {many}",
  "object.none": "les {many}",
  "object.fields.all": "{fields} de toutes les fiches ({many})",
  "object.fields.some": "{fields} des {many}",
  "object.fields.none": "{fields} des {many}",
  "object.except.all": "les champs de toutes les fiches ({many}) sauf {fields}",
  "object.except.some": "les champs des {many} sauf {fields}",
  "object.except.none": "les champs des {many} sauf {fields}",
  "fields.other": "les autres champs",
  "object.new.some": "{fields} des nouvelles fiches ({many})",
  "object.new.none": "{fields} des nouvelles fiches ({many})",
  act: "{action, select, read {voir} create {créer} enter {saisir} update {modifier} other {supprimer}} {object}",
  "act.transition.all": "effectuer la transition {transition} de toutes les fiches ({many})",
  "act.transition.some": "effectuer la transition {transition} des {many}",
  "act.transition.none": "effectuer la transition {transition} des {many}",
  can: "{who_upper} peuvent désormais {act}{anonymous, select, true {, même sans se connecter} other {}}.",
  "can.where":
    "{who_upper} peuvent désormais {act}{anonymous, select, true {, même sans se connecter} other {}}. Condition : {condition}.",
  "can.more": "{who_upper} peuvent désormais {act} dans davantage de cas.",
  "can.always": "{who_upper} peuvent désormais {act} dans tous les cas.",
  "can.only": "{who_upper} ne peuvent désormais {act} qu’à une condition : {condition}.",
  "cannot.always": "{who_upper} peuvent désormais {act} dans moins de cas.",
  cannot: "{who_upper} ne peuvent plus {act}{anonymous, select, true {, même sans se connecter} other {}}.",
  "cannot.where":
    "{who_upper} ne peuvent plus {act}{anonymous, select, true {, même sans se connecter} other {}}. Cas concerné : {condition}.",
  "act.name": "{action, select, read {lire} create {créer} update {modifier} other {supprimer}}",
  "administrators.end":
    "La spécification définit désormais les droits. Les administrateurs ne peuvent donc plus {acts} : {many}.",
  "administrators.people.end":
    "La spécification définit désormais les droits. Les administrateurs ne peuvent donc plus, ni à l’écran ni par appel, {acts} : {many}. Les comptes et les invitations restent réservés aux administrateurs.",
  "administrators.names.end":
    "La spécification définit désormais les droits de lecture : {many}. Les administrateurs ne voient donc plus les noms des personnes dans les fiches et les historiques. Les comptes et les invitations restent réservés aux administrateurs.",
  "administrators.accounts":
    "La spécification définit désormais les droits : {many}. Les comptes et les invitations restent réservés aux administrateurs.",

  // Roles and approval
  "members.anyone": "accordé à tout le monde, même sans se connecter",
  "members.signed.in": "accordé à toutes les personnes connectées",
  "members.granted": "accordé par l’administration",
  "members.deputies": "pour les personnes qui remplacent quelqu’un",
  "role.added": "Nouveau rôle {title}, {members}.",
  "role.removed": "Le rôle {title} est supprimé.",
  "role.members": "Le rôle {title} est désormais {members}.",
  "role.was.called": "Le rôle {title} s’appelait {before}.",
  "held.added": "Nouveau rôle {title} sur chaque fiche ({many}).",
  "held.removed": "Le rôle {title} des {many} est supprimé.",
  "held.more": "Plus de personnes ont le rôle {title} des {many}.",
  "held.fewer": "Moins de personnes ont le rôle {title} des {many}.",
  "held.was.called": "Le rôle {title} des {many} s’appelait {before}.",
  "deputies.can": "Les personnes qui ont le rôle {title} peuvent désormais avoir un remplaçant.",
  "deputies.cannot": "Les personnes qui ont le rôle {title} ne peuvent plus avoir de remplaçant.",
  "approval.can":
    "Le rôle {title} peut désormais {action, select, propose {proposer} other {approuver}} des modifications de la spécification.",
  "approval.cannot":
    "Le rôle {title} ne peut plus {action, select, propose {proposer} other {approuver}} de modifications de la spécification.",
  "approval.count":
    "Une modification de la spécification nécessite désormais {now, plural, one {# approbation} other {# approbations}} au lieu de {before, plural, one {# approbation} other {# approbations}}.",
  "approval.not.own": "Personne ne peut plus approuver ses propres modifications de la spécification.",
  "approval.own": "On peut désormais approuver ses propres modifications de la spécification.",

  // Sign-in and tokens
  "password.on": "On peut désormais se connecter avec un mot de passe.",
  "password.off": "On ne peut plus se connecter avec un mot de passe.",
  "basic.on": "Les programmes peuvent désormais envoyer une adresse e-mail et un mot de passe avec chaque requête.",
  "basic.off": "Les programmes ne peuvent plus envoyer une adresse e-mail et un mot de passe avec chaque requête.",
  "provider.on": "On peut désormais se connecter avec {title}.",
  "provider.off": "On ne peut plus se connecter avec {title}.",
  "provider.other":
    "La connexion avec {title} {member, select, title {a un autre titre} issuer {utilise une autre adresse du fournisseur} client {utilise un autre identifiant client} secret {utilise un autre secret client} other {change}}.",
  "sign.in.off":
    "Plus personne ne se connecte à l’application : chacun peut désormais faire ce que peuvent faire les visiteurs.",
  "sign.in.on": "On peut désormais se connecter à l’application.",
  "sign.in.by": "On peut aussi se connecter avec « {name} ».",
  "sign.in.by.email": "On peut se connecter uniquement avec son adresse e-mail.",
  "register.on": "On peut désormais s’inscrire soi-même.",
  "register.off": "On ne peut plus s’inscrire soi-même.",
  "register.any": "On peut désormais s’inscrire avec n’importe quelle adresse e-mail.",
  "register.at": "On peut désormais s’inscrire avec une adresse e-mail chez {names}.",
  "register.at.once":
    "Les comptes sont désormais créés aussitôt, sans lien par e-mail : on peut s’inscrire avec une adresse qui n’est pas la sienne.",
  "register.mailed": "Les comptes ne sont désormais créés qu’avec un lien envoyé à l’adresse e-mail.",
  "register.roles": "À l’inscription, ces rôles sont accordés : {names}.",
  "register.asks": "Les personnes qui s’inscrivent doivent désormais indiquer {names}.",
  "register.asks.nothing": "Les personnes qui s’inscrivent n’ont plus d’informations supplémentaires à indiquer.",
  "register.no.roles": "À l’inscription, aucun rôle n’est accordé.",
  "outgoing.added": "L’application appelle désormais un autre programme : {name}.",
  "outgoing.removed": "L’appel {name} à un autre programme est supprimé.",
  "outgoing.method": "L’appel {name} à un autre programme utilise désormais {now} au lieu de {before}.",
  "outgoing.address": "L’appel {name} à un autre programme va désormais à {now} au lieu de {before}.",
  "outgoing.retries":
    "L’appel {name} à un autre programme est désormais répété {now, plural, one {une fois} other {# fois}} au lieu de {before, plural, one {une fois} other {# fois}}.",
  "outgoing.other":
    "L’appel {name} à un autre programme {member, select, headers {envoie d’autres en-têtes} secret {utilise un autre secret} chat {va à un autre service} other {change}}.",
  "outgoing.readers": "Les messages à {name} contiennent désormais ce que peuvent voir {now}, au lieu de {before}.",
  "readers.visitors": "les personnes non connectées",
  "errors.form": "Les appels refusés reçoivent désormais leurs erreurs dans un autre format.",
  "origins.added": "Les pages de {names} peuvent désormais appeler l’application.",
  "origins.removed": "Les pages de {names} ne peuvent plus appeler l’application.",
  "tokens.by": "Les jetons d’API peuvent désormais être créés par : {names}.",
  "tokens.by.nobody": "Personne ne peut plus créer de jetons d’API.",
  "tokens.days": "Les jetons d’API sont désormais valables {now} jours au plus au lieu de {before}.",
  "tokens.scheme": "Les jetons d’API sont désormais envoyés comme {now} au lieu de {before}.",
} satisfies TextsLike<typeof permissionArguments>;
