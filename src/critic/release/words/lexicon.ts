/**
 * The word lists of the release check, as data. A word that no list covers makes a sentence not provable, so a gap
 * withholds a sentence and never releases one. A changed list changes rulings: raise `RELEASE_CHECK` with it.
 * @module
 */
import { rows, table, type Words, words } from './measures.ts';

/** Words that carry no claim of their own. Words with a meaning of their own are in the lists below. */
export const FUNCTION_WORDS: Words = words(`
  a an the this that these those it its it's they them their there here theirs ours itself themselves yourself
  ourselves one's you your yours you're you've i i'm i've me we we've us our they're they've we're is are was were be
  been being am has have had having do does did of in on at to from for with by as into onto per via under within
  during since until till through towards regarding concerning across and or nor when which who whose whom where then
  than so also plus currently now presently please well too about namely respectively details detail following follows
  there's that's here's who's you'd what's out up back still already far yes however mr mrs ms dr prof sir madam
  actually indeed moreover additionally furthermore likewise otherwise instead meanwhile whereby thereof
`);

/** Verbs that state that a field has a value. Any other verb must be a word of the field or of its value. */
export const LIGHT_VERBS: Words = words(`
  show shows shown showing list lists listed listing see sees find found look looks looked check checked comes come
  came coming include includes included including contain contains stand stands stood standing give gives given gave
  read reads record recorded records display displayed displays say says belong belongs sit sits remain remains get
  gets got set sets marked mark know known according indicate indicates amounts amount go goes going appears appear
  registered worth run runs ran went done made took takes take taking holds hold held having keep keeps
  kept consist consists consisted comprise comprises exist exists happened happens happen occur occurred occurs
  falls fall fell put puts lies lie concerns concern relates refers apply applies applied stay stays place placed
  carries carry bear bears feature features entered stored noted note notes state states stated ending described
  describes labelled labeled tagged entitled dated featured logged bring brings work works worked end ends
`);

/**
 * Words that state no more than the field they stand with, unless another field of the facts has the word: then they may
 * mean that field.
 */
export const NEUTRAL_WORDS: Words = words(`
  flagged classed classified categorised categorized filed grouped reported handle handles handling cover covers
  covering became become becomes showed put brought spans ranks ranked scored reached counts counted reflects
  reflected represents represent corresponds corresponding features hosts houses involves involve affects affecting
  affected carries carrying carried current existing own respective relevant individual particular specific certain
  various separate related associated underlying main named titled labelled headed addressed attached linked tied
  dedicated designated concerning touching called known described quoted printed written spelled marked tagged stamped
  posted logged tracked traced metered clocked timed weighed sized recorded captured observed noted seen spotted
  contains containing holds holding stores storing housing lists listing states stating gives giving offers offering
  provides providing serves serving runs stands standing sits sitting starting beginning ending lasting spanning
  ranging reading averaging totalling weighing measuring costing located situated based placed positioned parked
  stored kept stationed moored docked customer's client's line lines row column side course morning afternoon evening
  weekday weekend calendar amount amounts figure figures sum rest kind kinds sort sorts type types form forms set sets
  pair pairs group groups series range version detail details info information summary overview picture update news
  answer result results status situation please kindly note simply directly basically essentially effectively
  officially formally technically originally initially separately individually respectively accordingly
`);

/** Verbs that state an amount of money, a quantity or a time; another field that has the word takes precedence. */
export const KIND_VERBS: Readonly<Record<'money' | 'quantity' | 'span', Words>> = {
  money: words(`
    pay pays paid paying payable charge charges charged charging bill billed billing cost costs costing price priced
    spend spent spending invoice invoiced quote quoted value valued worth owe owes fee fees
  `),
  quantity: words(`
    use uses used using draw draws drew drawn take takes took taken consume consumed consuming drive drives drove driven
    driving travel travels travelled traveled weigh weighs weighed measure measures measured run runs ran read reads get
    gets got have has had need needs go goes went
  `),
  span: words('last lasts lasted take takes took taken run runs ran spend spent need needs wait waits waited'),
};

/** Nouns and adjectives that point at a record without naming a field of it. */
export const RECORD_NOUNS: Words = words(`
  record records system file files entry entries account accounts result results value information data database log
  one ones item items field moment present hand way case side part name names profile overview details figure status
  document page line row book books order orders request
`);

/** Nouns that a bare number may count where the field says no better word. */
export const COUNT_NOUNS: Words = words(
  'unit units item items piece pieces copy copies one ones entry entries time times record records pcs',
);

export const NEGATORS: Words = words(`
  no not none never without cannot can't isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't
  won't neither nothing nobody zero n't nor wouldn't couldn't
`);

/** Words that deny the word of their line: "offline" says "not online". */
export const ANTONYMS: ReadonlyMap<string, string> = new Map(
  table(`
    offline: online; closed: open; shut: open; inactive: active; disabled: enabled; unavailable: available;
    unpaid: paid; unsigned: signed; unread: read; unverified: verified; unconfirmed: confirmed;
    unassigned: assigned; unattached: attached; unreserved: reserved; uncovered: covered; unlimited: limited;
    incomplete: complete; invalid: valid; ineligible: eligible; nonrefundable: refundable; unused: used;
    unresolved: resolved; unlocked: locked; unapproved: approved; unscheduled: scheduled; undelivered: delivered;
    lacks: has; lacking: having; excluded: included; prohibited: allowed; forbidden: allowed
  `).map(([word, [base = '']]) => [word, base] as const),
);

/** Verbs and nouns that a negation may use of any field: "no room has been assigned". */
export const NONE_VERBS: Words = words(`
  assigned recorded noted issued made given set added provided listed available found entered stored kept registered
  reported required applied scheduled planned been yet filed lodged submitted opened known identified determined
  named booked charged received taken used specified documented any anything ever appointed selected chosen attached
  needed arranged raised outstanding due owed left longer further more single existing present earlier previous
  prior so far date time value applies apply done happened granted awarded defined established anybody anyone
  whatsoever incurred levied owe
`);

/** Nouns that say of which kind a value is. */
export const KIND_NOUNS: Readonly<Record<'moment' | 'money' | 'span' | 'id' | 'number', Words>> = {
  moment: words("date dates day days time times deadline dated am pm o'clock utc gmt morning falls"),
  money: words('amount amounts price prices sum sums money cost costs worth figure figures'),
  span: words('time duration period long amount'),
  id: words('number id reference code no identifier ref'),
  number: words('number figure count'),
};

/** Words that state a positive boolean. */
export const AFFIRMERS: Words = words(`
 on enabled active yes true turned switched available indeed set part included allowed permitted possible offered
 able have has can may be place activated eligible currently comes come
`);

export const UNIVERSALS: Words = words('all every each both always everything everyone any either');
export const EXCLUSIVES: Words = words('only just solely exclusively sole');

/** Words that announce a computed number, by the computation. The direction of a comparison is checked. */
export const SUM_WORDS: Words = words(`
  total totals totalling totaling totalled sum altogether combined together overall add adds added plus come comes
  came amounts jointly
`);
export const MORE_WORDS: Words = words(`
  more higher greater larger bigger above over topped tops beyond exceeds exceed exceeded beat beats after later late longer increase
  increased increases rose risen rise grew grown gained up ahead lead leads leading older heavier dearer taller past
`);
export const LESS_WORDS: Words = words(`
  less lower fewer cheaper smaller below under within before earlier early shorter decrease decreased fell fallen dropped
  drop reduced lost down behind trails trail trailing short shy younger lighter prior
`);
export const REST_WORDS: Words = words(
  'left remaining remain remains leaves leave leaving difference gap between apart saves save saved saving net free unused available owe owes owed outstanding still open unpaid go rest balance after',
);
export const SPAN_WORDS: Words = words(`
  took takes take taken lasted lasts last ran runs run between long for from apart until since stay stayed staying
  booked duration delay delayed within passed elapsed period over span spans covers term
`);
export const MEAN_WORDS: Words = words('average averages averaged averaging mean avg');
export const EACH_WORDS: Words = words('each per apiece at for times by over');
/** Words of sentences that compute a number. The check refuses no number in them that it cannot recompute. */
export const COMPUTING: Words = new Set([
  ...SUM_WORDS,
  ...MORE_WORDS,
  ...LESS_WORDS,
  ...REST_WORDS,
  ...words(
    'per with by works average excluding including minus within each equals times half third quarter weighted share only',
  ),
]);

/** Short answers before a clause, which makes the claim. */
export const ANSWER_WORDS: Words = words(
  'yes no yep yeah nope sure right okay ok indeed correct well hi hello done certainly absolutely unfortunately fortunately so also hmm ah oh',
);
export const APPROXIMATIONS: Words = words(
  'about approximately around roughly nearly almost circa ca approx some rund etwa ungefähr environ unos',
);
export const LOWER_BOUNDS: Words = words('over above exceeding exceeds');
export const UPPER_BOUNDS: Words = words('under below');

/** Superlatives: `+` claims the largest value of a list and `-` the smallest, of numbers or of dates. */
export const SUPERLATIVES: ReadonlyMap<string, string> = new Map(
  table(`
    number+: largest biggest highest most dearest longest greatest heaviest costliest best
    number-: smallest lowest cheapest shortest least fewest lightest
    date+: latest newest last
    date-: earliest oldest first soonest
  `).flatMap(([claim, list]) => list.map((word) => [word, claim] as const)),
);

/** Comparatives and other operators that the check does not compute: a clause that has one is not provable. */
export const UNCOMPUTED: Words = words(`
  more less fewer cheaper dearer higher lower larger smaller longer shorter earlier later better worse best worst
  same different double twice half except other others another most least many few several enough before after again
  ago soon today tomorrow yesterday tonight next previous should must shall need needs probably likely usually
  normally typically generally often sometimes seems if unless third quarter quarters thirds nearly almost entirely
  fully completely partially partly mostly whole entire
`);

/** Claims about the future or beyond the facts. Without a fact that states them they are refused. */
export const EXTRAPOLATIONS: Words = words(
  'always usually typically generally normally trend trending likely probably forecast consistently regularly rarely',
);
export const PROMISES: Words = words(
  'guarantee guaranteed guarantees promise promised promises assure assured ensure ensures definitely certainly surely shortly soon immediately asap personally',
);
export const CAUSES: Words = words('because owing therefore thus hence caused causes consequently');
export const ADVICE: Words = words(`
  should must recommend recommended suggest suggested advise advised consider try urge click visit call reply
  transfer download install forward ignore contact verify confirm share send log provide pay open
`);

/** The words of sentences that state nothing: offers of help, greetings, thanks, apologies. */
export const FILLER_WORDS: Words = words(`
  let know need anything else help happy glad further question questions welcome thanks thank please feel free reach
  out assist assistance hello hi hey dear good morning afternoon evening sorry apologies apologize apologise
  inconvenience hope hopes day great nice would like want more any other can could i'd i'll we'd always patience
  sure course certainly absolutely understand pleasure best regards look looked checked check right what whether
  anytime time back with that this on for your request waiting bear moment quick summary overview found requested
  asked information details answer below following wonderful rest ask just if have has had be me us my our was is
  are at soon you're you've to the of and in here's here as how happen happens regarding contacting contact support
  team again touch do not hesitate don't frustration frustrating confusing surprise surprising surprised annoying
  luck enjoy summer weekend trip stay shall go ahead take things stand step steps through start appreciate noted got
  perfect well okay ok see why reaching writing thought asking checking getting call let's everything question's
  ready quickly picture congratulations thing cheers bringing numbers wants line generosity trouble reading studies
  helps wait care keep posted sum up comparison safe travels travel concern concerns worry worried matter together
  review walk so short brief briefly full tell say word detail unclear clear causing cause causes prefer preferred
  explain explained much very really kindly truly delay another next later glance one two first which who when where
  pat give hug mind think possible come comes gladly love interested curious wish wishes speak chat talk discuss
  continue tomorrow tonight forward hearing lovely sounds sound fine fantastic excellent indeed answers useful
  helpful wondering hang tight second minute show shows shown looking fair point bad news worries problem problems
  stop by sign off i'm what's it's that's there's you'd some should must lot lots many kind able both options option
  simply directly whenever wherever stress stressful hassle confusion bother disappointing disappointed read over
  break down dig deeper into lay laid above cover covered add summarise summarize summarised summarized results
  records data
  find all set count now looks useful settled sorted clarify clarifies clarified reply explaining guidance thoughts
  gern gerne danke vielen bitte helfe ich ihnen weiter melden sie sich wenn weitere fragen haben guten tag hallo freundliche grüße
  bonjour merci pour votre message n'hésitez pas si vous avez d'autres hola gracias por su mensaje buenos días
`);

/** Words that mark a sentence as repeating the request, and words that join its parts. */
export const ECHO_FRAMES: Words = words(`
  asked ask asking want wanted wants mentioned wrote requested said say saying told tell provided question request
  message inquiry enquiry like know wondering reported looking look need needed hear see inquired enquired
  interested trying referring refer wish wished hoping hope checking understand got bringing bring brought planning
  plan
`);
export const ECHO_LINKS: Words = words(`
  whether understand like would how what if want know we our why when where who did get got see hear find learn
  should which much many long summary details information because need needs both also about status tell check
`);

/** Nouns and verbs of sentences that report the words of a text: "the mail says …". */
export const TEXT_NOUNS: Words = words(`
  mail email e-mail message review comment note ticket page article post letter description text document feedback
  subject body sender customer author reviewer reporter guest caller player user tenant client statement chat blog
  report news item supplier agent broker forum thread reply entry caption listing website site memo transcript
  applicant resident driver cv resume form hotel landlord seller buyer employee neighbour neighbor parent student
  candidate vendor technician inspector manager member donor patient attachment file letter's
`);
export const REPORT_VERBS: Words = words(`
  says say said states stated mentions mentioned reads read asks asked claims claimed writes wrote according reports
  reported describes described notes noted complains complained asserts asserted argues argued warns warned tells
  told wants thinks thought considers considered requests requested demands demanded commented comments recommends
  recommended suggests suggested urges urged announces announced explains explained would
`);

/** States that deny the words of their line: a pending order is not approved. A state may have several words. */
const UNFINISHED =
  'completed complete finished done resolved closed settled final delivered arrived published signed over fixed ready';
const UNDECIDED = 'approved rejected denied accepted confirmed granted decided cleared authorised authorized';
/** States that end a wait: they say that an act was done. */
export const SETTLED_STATES: Words = words(`${UNFINISHED} ${UNDECIDED}`);
export const EXCLUDED_STATES: ReadonlyMap<string, Words> = rows(`
  pending: ${UNFINISHED} ${UNDECIDED} paid available released
  open: paid closed resolved completed settled finished done
  review: ${UNFINISHED} ${UNDECIDED}
  progress: ${UNFINISHED}
  processing: ${UNFINISHED} shipped dispatched
  preparing: ${UNFINISHED} shipped dispatched
  draft: sent submitted published final signed approved filed issued paid
  scheduled: completed started finished done delivered arrived begun over
  planned: completed started finished done begun over
  upcoming: completed started finished done begun over
  transit: delivered arrived
  shipped: delivered arrived
  dispatched: delivered arrived
  way: delivered arrived
  waiting: ready confirmed ${UNFINISHED}
  awaiting: ready confirmed ${UNFINISHED} ${UNDECIDED}
  waitlisted: confirmed booked
  waitlist: confirmed booked
  queued: started running ${UNFINISHED}
  delayed: cancelled canceled arrived
  hold: released ${UNFINISHED} shipped
  held: released cleared
  paused: active running
  suspended: active
  expired: valid active
  cancelled: active confirmed going running completed
  canceled: active confirmed going running completed
  closed: open
  inactive: active
  failed: successful completed pass passed succeeded
  failure: successful completed pass passed succeeded
  error: successful completed pass passed succeeded
  rejected: approved accepted granted
  denied: approved accepted granted
  declined: approved accepted granted paid
  incomplete: complete completed finished
  partial: complete completed full
  unpaid: paid settled
  overdue: paid settled returned
  unknown: known
  mitigated: resolved closed
  requested: ${UNDECIDED} ${UNFINISHED}
  submitted: ${UNDECIDED}
  new: ${UNFINISHED} resolved
  tentative: confirmed accepted
  optional: required mandatory
  revoked: active valid
  skipped: run executed completed
  offline: online connected
  press: shipped delivered
  production: shipped delivered
  active: cancelled canceled expired suspended
  confirmed: cancelled canceled
`);

/** States that say the same, by the first word of their line. */
export const SAME_STATES: ReadonlyMap<string, string> = new Map(
  table(`
    success: succeeded successful passed pass ok
    failure: failed fail unsuccessful
    completed: complete finished done
    cancelled: canceled
    rejected: declined refused
    estimated: estimate
    tentative: tentatively
    shipped: dispatched
    paused: frozen
    running: ongoing underway
    resolved: fixed solved
    expired: lapsed
    refunded: reimbursed
    overdue: late
    locked: blocked
    booked: reserved
    approved: authorised authorized
    waitlisted: waitlist
    open: unresolved
    urgent: critical
  `).flatMap(([state, list]) => [state, ...list].map((word) => [word, state] as const)),
);

/** Words that claim a state. The request may use one without making it true. */
export const STATE_WORDS: Words = new Set([
  ...EXCLUDED_STATES.keys(),
  ...[...EXCLUDED_STATES.values()].flatMap((list) => [...list]),
  ...ANTONYMS.keys(),
  ...ANTONYMS.values(),
  ...AFFIRMERS,
  ...words(`
    overdue late early free available valid due ready urgent safe full empty new old high low broken damaged faulty cheap
    expensive good bad eligible refundable legal possible normal double final latest past missing lost open busy
    vacant sold correct wrong right true false healthy sick dry wet hot cold warm hard easy fast slow short long
  `),
]);

/** Forms that no rule of the stemmer reaches. */
export const IRREGULAR: ReadonlyMap<string, string> = new Map(
  table(`
    pay: paid payment payments; send: sent; buy: bought; left: left; make: made; sell: sold; spend: spent;
    hold: held; begin: began begun; fly: flown flew; take: taken took; give: given gave; come: came; go: went gone;
    ship: shipment shipping shipments; deliver: delivery deliveries; expir: expiry expiration;
    us: usage used uses using use user users; arriv: arrival arrivals; depart: departure departures departs;
    renew: renewal renewals; cancel: cancellation cancelled canceled; book: booking bookings; bill: billing;
    note: note notes noted; open: opened opening; list: listing; weigh: weight; height: height; belong: belonging;
    lead: led; lend: lent; write: wrote written; win: won; los: lost lose loses;
    approv: approval approvals approve approved; remov: removal; propos: proposal; receipt: receipt receipts;
    children: child; analysi: analysis analyses; repai: repaid repayment repayments; rent: rental rentals rented;
    withdraw: withdrawal withdrawals withdrawn; choose: chosen chose; drive: drove driven; draw: drew drawn;
    see: seen; say: said; wak: woke; tax: taxes; addres: address addresses;
    mitigat: mitigation mitigated mitigates; donat: donation donated donations;
    translat: translation translated translating translations; reserv: reservation reservations reserved;
    cod: code codes coded
  `).flatMap(([stem, forms]) => forms.map((form) => [form, stem] as const)),
);
