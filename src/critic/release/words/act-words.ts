/**
 * The verbs of acts, as data: the release check asks for a fact that states an act. A changed list changes rulings: raise
 * `RELEASE_CHECK` with it.
 * @module
 */
import { type Words, words } from './measures.ts';

/** Stems of verbs that change something outside. A claimed effect needs a fact that states it. */
export const EFFECT_STEMS: Words = words(`
  refund cancel send email mail text notifi messag book rebook reserv order updat chang creat delet remov issu
  transfer upgrad downgrad reset schedul reschedul clos open appli credit charg escalat fil submit regist restart
  reboot deploi extend renew activat deactivat block unblock lock unlock approv reject ship reship dispatch forward
  wir post publish ad assign enabl disabl suspend waiv process initiat complet fix resolv replac arrang request
  contact cal inform log flag adjust revers archiv merg revok grant enrol subscrib unsubscrib confirm pay rais
  revert rotat mov turn switch return
`);
/** Effects that a passive claims as done: "your order was refunded". Other passives may describe a state. */
export const STRONG_EFFECTS: Words = words(`
  refund cancel send email mail notifi rebook updat delet remov issu transfer upgrad downgrad reset reschedul credit
  escalat submit restart reboot deploi dispatch waiv revers revok reship replac forward wir resolv fix process
`);
/** First-person verbs that only look things up. */
export const LOOK_UP_STEMS: Words = words(
  'check look find found see saw review search read locat pull have got get list gather compar count summaris note includ understand ask',
);
/** Past forms that do not end in -ed. */
export const PAST_FORMS: Words = words(`
  sent resent paid repaid given gave made done did taken took bought sold written wrote put cut built rebuilt spent lent
  brought chosen chose withdrawn withdrew drawn drew begun began left held kept told spoken set reset won lost sped
  found saw seen got read broken broke hidden frozen froze shut split led met caught taught thrown hung fed bred laid
  rung shot sewn sown grown worn hit dug stuck struck lit swept bent bound sought fought won rid wed
`);
/** Stems of verbs that make a request or a case: one of them states the others. */
export const LODGING_STEMS: Words = words('creat submit fil request lodg rais open regist register log plac ad');
/** Names of roles that only a person who did the act has. An approver or a reviewer may not have acted yet. */
export const RIGHTFUL_ROLES: Words = words(
  'sender author creator writer prescriber issuer seller buyer donor founder builder payer uploader organiser organizer leader lead',
);
/** Verbs that do an act that a noun names: "a discount has been applied", "notice has been given". */
export const DOING_VERBS: Words = words('given made done applied paid charged billed invoiced taken placed held');
/** Words of keys of dates that lie ahead: they state no act. */
export const PLAN_WORDS: Words = words('due deadline next expected estimated planned scheduled target eta cutoff');
