/**
 * Word lists about the keys of facts, as stems. A changed list changes rulings: raise `RELEASE_CHECK` with it.
 * @module
 */
import { stem } from '../tokens.ts';
import { table, type Words, words } from './measures.ts';

/** The words and their stems. */
const stems = (text: string): Words => new Set([...words(text)].flatMap((word) => [word, stem(word)]));
const rows = (text: string): ReadonlyMap<string, Words> =>
  new Map(table(text).map(([name, list]) => [name, stems(list.join(' '))] as const));

/** Prepositions that mark the role of a name, and the stems of field names that hold such a role. */
export const ROLES: ReadonlyMap<string, Words> = rows(`
  from: from origin sourc sender payer depart departur start previous old pickup
  to: to destin recipi payee receiv arriv arrival target new assigne dropoff
  by: by author creator owner carrier provid manufactur
  with: carrier provid vendor airlin doctor physician advisor partner merchant insur clinician scheme coach teacher trainer bank supplier
  at: locat venu hotel place addres branch restaur merchant store clinic station
  in: citi locat room build region countri warehous site area zone
  via: carrier method channel provid
  against: oppos defend respond
`);
/** Prepositions that mark the role of a date, and the stems of field names that hold such a date. */
export const DATE_ROLES: ReadonlyMap<string, Words> = rows(`
  until: end until to expir valid through hold close
  till: end until to expir valid through
  through: end until to expir through
  to: end until to checkout
  and: end until to checkout
  from: start from begin since valid checkin
  between: start from begin
  since: start from since begin
  by: due deadlin by until expir
`);
/** Stems of fields that hold an end or a beginning, an earlier or a later value, and the source or the target of a transfer. */
export const DATE_ENDS: Words = stems(
  'end until to till expir expiri valid through hold close due deadlin by last cutoff checkout out return stop finish complet final fix lock paus suspend block free guarante warranti cover run reserv rate late max next renew reset period cycl cancel',
);
export const DATE_STARTS: Words = stems(
  'start from begin since sinc valid effect open avail checkin in readi join hire creat regist issu launch first sinc earliest activ commenc move suspend lock',
);
export const BEGINNINGS: Words = stems('from start begin since sinc');
export const FLOORS: Words = stems('min minimum from start threshold abov floor low base first');
export const ENDINGS: Words = stems('to end until till expir expiri through');
export const PREVIOUS: Words = stems('previou old former prior origin');
/** Stems of fields that hold a change, and of those that hold a fall as a positive number. */
export const CHANGES: Words = stems(
  'change delta difference diff trend growth increase rise gain movement variation variance',
);
export const FALLS: Words = stems('decrease drop fall decline loss reduction reduced shrinkage');
/** Words of a sentence that say in which direction something has changed. */
export const RISING: Words = words(
  'up rose risen rises rise rising grew grown grows growth gained gains gain increased increases increase higher more better',
);
export const FALLING: Words = words(
  'down fell fallen falls fall falling dropped drops drop decreased decreases decrease declined decline shrank shrunk lower less fewer lost loss',
);
export const NEW: Words = stems('new');
export const SOURCES: Words = stems(
  'from sender payer origin shipper author sourc consignor seller donor exporter by depart pickup',
);
export const TARGETS: Words = stems(
  'to recipi recipient payee destin destination consignee consigne addresse addressee receiver beneficiari beneficiary buyer importer dropoff arriv',
);
export const PAYEES: Words = stems(
  'merchant payee vendor supplier shop store restaur restaurant landlord provid provider biller creditor seller hotel carrier clinic insurer school venu merchant',
);
/** Endings of keys that identify a record: the word before names the record, as in `order_id`. */
export const ID_ENDINGS: Words = words('id number no ref reference code key locator uuid');
/** Keys that say nothing without the key above them: `price.amount`. */
export const GENERIC_KEYS: Words = words('amount value name number text label at on date time total code type');
/** Stems of fields that name whose record it is. Such a name may be the subject of a sentence without a word for its role. */
export const PRINCIPALS: Words = stems(
  'student customer patient member employe employee guest tenant player donor applicant policyhold policyholder borrower passeng passenger pet resident pupil subscriber attende attendee artist client holder renter taxpayer',
);
/** Fields whose value says by itself what it is: "the order is shipped" needs no word for `status`. */
export const SELF_NAMING: Words = stems(
  'status state stage name titl label result outcom condit item product method id sku model type action',
);
/** Key words that carry a unit or a type rather than a meaning. */
export const KEY_NOISE: Words = words(
  'at on is has the of and id ids cents cent pence minor utc iso date time datetime timestamp count num value usd eur gbp ms gb mb kb tb kg km pct percent sqm min mins hours days weeks minutes',
);
/** Words of keys that make a number an amount of money. */
export const MONEY_KEYS: Words = words(
  'price amount total subtotal cost fee balance tax refund charge paid due salary budget limit fare deposit premium payment credit debit value spend discount shipping gross net copay deductible rent revenue',
);
/** Stems of fields that hold an allowance, and of fields that hold its use. */
export const ALLOWANCES: Words = stems(
  'allow allowanc limit quota total max maximum budget entitl includ per year annual capac cap order due fee charg price fre grant on invoic credit seat hand stock amount princip origin',
);
export const USES: Words = stems(
  'us used taken take spend spent consum deliver done translat fil paid pay reserv ship receiv fill repai reimburs book alloc committ',
);
/** Stems of fields that others are compared with: a plan, a limit, an earlier value. */
export const REFERENCES: Words = stems(`
  schedul plan expect origin previou budget target limit goal threshold due allow allowanc quota estimat contract prior
  old former last base max maximum min minimum cap baselin forecast planned agreed requested claim ask averag avg
  propos quot promis normal usual median refer retail list includ reorder point request requir need order
`);
/** Stems in the names of tools that only read. */
export const READ_STEMS: Words = stems(
  'get list find lookup look search fetch read check show describ queri history statu retriev view summari detail load track trac',
);

/** Stems of keys and tools: of payments, of sums that are owed, and of sums that no one has paid. */
export const MONEY_STEMS: Readonly<Record<'payment' | 'bill' | 'owed' | 'notPaid', Words>> = {
  payment: words('pay paid payment spend spent transact receipt debit settl purchas'),
  bill: words('charg bill invoic pay paid payment spend spent transact receipt debit settl purchas'),
  owed: words(
    'du due ow owe outstand balanc debt arrear unpaid open rest remain invoic bill total amount fe fee rent tax',
  ),
  notPaid: words(
    'refund credit discount limit estimat quot balanc sav saving budget allowanc voucher bonus reward cap avail',
  ),
};

/** Stems of keys that say which sum or which day a field holds. A sentence about such a field names it. */
export const MONEY_ROLES: Words = stems(
  'discount credit limit balance refund estimate deposit budget saving savings voucher bonus reward allowance cap tip tax vat penalty salary income revenue profit donation overdraft loan debt interest minimum maximum threshold previous',
);
export const DAY_ROLES: Words = stems(
  'expected estimated due created cancelled canceled expires expiry expiration refunded returned renewal renews birth signed reviewed scheduled planned',
);
/** Stems of days that are ahead, and words of sentences about the past. */
export const AHEAD: Words = stems('expected estimated due scheduled planned eta forecast');
export const PAST: Words = words('was were arrived came reached landed delivered received got went has had been');
/** A refund is no payment, although both words name the same sum. */
export const PAYING: Words = stems('pay paid pays paying');
/** Words that leave open whether a sentence is so. "May" is left out: it is a month, too. */
export const HEDGES: Words = words('might perhaps maybe possibly probably presumably supposedly');
