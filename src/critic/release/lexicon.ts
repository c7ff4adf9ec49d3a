/**
 * The word lists of the release check, as data. A word that no list covers makes a sentence not provable, so a gap
 * withholds a sentence and never releases one. A changed list changes rulings: raise `RELEASE_CHECK_VERSION` with it.
 * @module
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/u));

/** Words that carry no claim of their own. Words with a meaning of their own are in the lists below. */
export const FUNCTION_WORDS: ReadonlySet<string> = words(`
  a an the this that these those it its it's they them their there here he she him her his
  you your yours you're you've i i'm i've me my we we've us our
  is are was were be been being am has have had having do does did
  of in on at to from for with by as into onto per via under within during since until till through
  and or nor if when which who whose where then than so also plus
  currently now please as well too about
  can could may might would
  details detail following follows below namely there's that's here's who's you'd he's she's out up back still already far yes however
`);

/** Verbs that state that a field has a value. Any other verb must be a word of the field or of its value. */
export const LIGHT_VERBS: ReadonlySet<string> = words(`
  show shows shown list lists listed see sees find found look looks looked check checked
  comes come came include includes included contain contains stand stands stood give gives given
  read reads record recorded display displayed say says belong belongs sit sits remain remains
  get gets got set marked mark know according indicate indicates confirm confirms confirmed
  amounts go goes going got appears appear registered worth totals run runs ran stood went done made make makes took takes holds hold held
`);

/** Nouns that point at a record without naming a field of it. */
export const RECORD_NOUNS: ReadonlySet<string> = words(`
  record records system file entry entries account accounts result results value information data
  one ones item items field pieces units copies piece
`);

export const NEGATORS: ReadonlySet<string> = words(`
  no not none never without cannot can't isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't
  neither nothing nobody zero n't off disabled inactive unavailable
`);

/** Verbs that a negation may use of any field: "no room has been assigned". */
export const NONE_VERBS: ReadonlySet<string> = words(
  'assigned recorded noted issued made given set added provided listed available found entered stored kept registered reported required applied scheduled planned been yet',
);

/** Nouns that say of which kind a value is. */
export const KIND_NOUNS: Readonly<Record<'moment' | 'money' | 'span' | 'id' | 'number', ReadonlySet<string>>> = {
  moment: words('date day time'),
  money: words('amount price'),
  span: words('time duration period'),
  id: words('number id reference code no'),
  number: words('number'),
};

/** Words that state a positive boolean. */
export const AFFIRMERS: ReadonlySet<string> = words(
  'on enabled active yes true turned switched available indeed set part included allowed permitted possible offered',
);
export const BOOLEAN_FRAMES: ReadonlySet<string> = words('turned switched currently set');

export const UNIVERSALS: ReadonlySet<string> = words('all every each both always entire whole everything everyone any');
export const EXCLUSIVES: ReadonlySet<string> = words('only just solely exclusively sole single');
export const SUM_WORDS: ReadonlySet<string> = words(
  'total totals totalling totaling sum altogether combined together overall add adds',
);
/** Words of sentences that compute a number. The check refuses no number in them that it cannot recompute. */
export const COMPUTING: ReadonlySet<string> = words(`
  total totals altogether combined together overall add adds per with less more fewer by left remaining remain remains short difference
  works average between excluding including plus minus after before within each difference increase decrease increased decreased
`);

export const DIFFERENCE_WORDS: ReadonlySet<string> = words(`
  more less fewer higher lower cheaper dearer difference between left remaining remain remains short over above below by than
  exceeds exceeded saved save rose fell dropped increase decrease increased decreased go net later earlier free
`);
export const SPAN_WORDS: ReadonlySet<string> = words(`
  took takes take lasted lasts last ran runs after before between late early later earlier long for from apart until since
  stay stayed staying booked duration delay delayed
`);
/** Stems of fields that hold an allowance, and of fields that hold its use. */
export const ALLOWANCES: ReadonlySet<string> = words(
  'allow allowanc limit quota total max maximum budget entitl includ per year capac cap order',
);
export const USES: ReadonlySet<string> = words(
  'us used taken take spend spent consum deliver done translat fil paid pay',
);

/** Short answers before a clause, which makes the claim. */
export const ANSWER_WORDS: ReadonlySet<string> = words(
  'yes no yep yeah nope sure right okay ok indeed correct well hi hello',
);
export const APPROXIMATIONS: ReadonlySet<string> = words(
  'about approximately around roughly nearly almost circa ca approx some rund etwa ungefähr environ unos',
);
export const LOWER_BOUNDS: ReadonlySet<string> = words('over above exceeding exceeds');
export const UPPER_BOUNDS: ReadonlySet<string> = words('under below');

/** Superlatives: whether they claim the largest or the smallest value of a list, and of which kind. */
export const SUPERLATIVES: Readonly<Record<string, { readonly most: boolean; readonly kind: 'number' | 'date' }>> = {
  largest: { most: true, kind: 'number' },
  biggest: { most: true, kind: 'number' },
  highest: { most: true, kind: 'number' },
  'most expensive': { most: true, kind: 'number' },
  dearest: { most: true, kind: 'number' },
  longest: { most: true, kind: 'number' },
  smallest: { most: false, kind: 'number' },
  lowest: { most: false, kind: 'number' },
  cheapest: { most: false, kind: 'number' },
  shortest: { most: false, kind: 'number' },
  latest: { most: true, kind: 'date' },
  newest: { most: true, kind: 'date' },
  'most recent': { most: true, kind: 'date' },
  last: { most: true, kind: 'date' },
  earliest: { most: false, kind: 'date' },
  oldest: { most: false, kind: 'date' },
  first: { most: false, kind: 'date' },
};

/** Comparatives and other operators that the check does not compute: a clause that has one is not provable. */
export const UNCOMPUTED: ReadonlySet<string> = words(`
  more less fewer cheaper dearer higher lower larger smaller longer shorter earlier later better worse best worst
  same different double twice half except other others another most least many few several enough
  before after again ago soon today tomorrow yesterday tonight next previous
  should must shall need needs probably likely usually normally typically generally often sometimes seems
  if unless
`);

/** Claims about the future or beyond the facts. Without a fact that states them they are refused. */
export const EXTRAPOLATIONS: ReadonlySet<string> = words(`
  always usually typically generally normally trend trending likely probably forecast
  consistently regularly rarely
`);

export const PROMISES: ReadonlySet<string> = words(`
  guarantee guaranteed guarantees promise promised promises assure assured ensure ensures definitely certainly
  surely shortly soon immediately asap personally
`);

export const CAUSES: ReadonlySet<string> = words(`
  because due owing therefore thus hence caused causes consequently
`);

export const ADVICE: ReadonlySet<string> = words(`
  should must recommend recommended suggest suggested advise advised consider try urge click visit call reply
  transfer download install forward ignore contact verify confirm share send log provide pay open
`);

/** Stems of verbs that change something outside. A claimed effect needs a fact that states it. */
export const EFFECT_STEMS: ReadonlySet<string> = words(`
  refund cancel send email mail text notifi messag book rebook reserv order updat chang creat delet remov issu transfer
  upgrad downgrad reset schedul reschedul clos open appli credit charg escalat fil submit regist restart reboot
  deploy extend renew activat deactivat block unblock lock unlock approv reject ship reship dispatch forward wir
  post publish add assign enabl disabl suspend waiv process initiat complet fix resolv replac arrang request
  contact call inform log flag adjust revers archiv merg revok grant enroll subscrib unsubscrib confirm pay
`);

/** Effects that a passive claims as done: "your order was refunded". Other passives may describe a state. */
export const STRONG_EFFECTS: ReadonlySet<string> = words(`
  refund cancel send email mail notifi rebook updat delet remov issu transfer upgrad downgrad reset reschedul credit
  escalat submit restart reboot deploy dispatch waiv revers revok reship replac forward wir resolv fix process
`);

/** Stems of the names of fields that hold a cause. */
export const REASON_KEYS: ReadonlySet<string> = words(
  'reason caus note explan comment detail issu hold descript why messag summari',
);

/** Stems in the names of tools that only read. */
export const READ_STEMS: ReadonlySet<string> = words(
  'get list find lookup look search fetch read check show describ queri history statu retriev view summari detail load',
);

/** First-person verbs that only look things up. */
export const LOOK_UP_STEMS: ReadonlySet<string> = words(
  'check look find found see review search read locat pull confirm see have',
);

/** The words of sentences that state nothing: offers of help, greetings, thanks, apologies. */
export const FILLER_WORDS: ReadonlySet<string> = words(`
  let know need anything else help happy glad further question questions welcome thanks thank please feel free reach
  out assist assistance hello hi hey dear good morning afternoon evening sorry apologies apologize apologise
  inconvenience hope hopes day great nice would like want more any other can could i'd i'll we'd always
  patience sure course certainly absolutely understand glad pleasure best regards look looked checked check right
  what whether anytime time back with that this on for your request waiting bear moment quick summary overview
  found requested asked information details answer below following wonderful rest ask just if have has had
  be me us my our was is are at soon assist you're you've to the of and in here's here as
  happen happens regarding contacting contact support team again in touch do not hesitate
  frustration frustrating confusing surprise surprising surprised annoying luck enjoy summer weekend trip stay shall
  go ahead take things stand step steps through start appreciate noted got perfect well okay ok see why
  reaching writing thought asking checking getting call let's everything question's ready quickly picture
  congratulations thing cheers bringing numbers wants want line generosity trouble reading studies helps wait care keep posted sum up comparison
  stay safe travels travel safe concern concerns worry worried matter together review walk so
`);

/** Words that mark a sentence as repeating the request. */
export const ECHO_FRAMES: ReadonlySet<string> = words(
  'asked ask asking want wanted mentioned wrote requested said say told tell provided question request message inquiry enquiry like know wondering',
);

/** Nouns and verbs of sentences that report the words of a text: "the mail says …". */
export const TEXT_NOUNS: ReadonlySet<string> = words(
  'mail email e-mail message review comment note ticket page article post letter description text document feedback subject body sender customer author reviewer reporter guest caller',
);
export const REPORT_VERBS: ReadonlySet<string> = words(
  'says say said states stated state mentions mentioned reads read asks asked claims claimed writes wrote according reports reported describes described notes noted complains complained quote quoted asserts asserted puts argues argued warns warned tells told wants thinks thought considers considered requests requested demands demanded',
);

/** Words that mean the same field. The first stem of a row stands for the others. */
export const CONCEPTS: readonly (readonly string[])[] = [
  ['price', 'cost', 'charge', 'fare', 'fee', 'costing'],
  ['bill', 'invoice'],
  ['due', 'deadline', 'payable'],
  ['outstanding', 'owe', 'owed', 'unpaid'],
  ['email', 'e-mail', 'mail'],
  ['phone', 'telephone', 'mobile'],
  ['start', 'begin', 'began', 'commence'],
  ['end', 'finish', 'conclude', 'ran'],
  ['expire', 'lapse'],
  ['eta', 'arrive', 'expected', 'estimate'],
  ['depart', 'leave', 'leaves'],
  ['purchase', 'buy'],
  ['quantity', 'qty'],
  ['customer', 'client'],
  ['plan', 'subscription', 'membership'],
  ['tier', 'level'],
  ['name', 'called', 'title'],
  ['assign', 'assignee'],
  ['remain', 'left', 'remaining'],
  ['birth', 'born'],
  ['temperature', 'temp'],
  ['number', 'num', 'nr'],
  ['location', 'place', 'venue', 'site'],
  ['release', 'publish'],
  ['weight', 'weigh'],
  ['duration', 'last', 'take', 'long'],
  ['minimum', 'min'],
  ['maximum', 'max', 'limit', 'cap'],
  ['distance', 'far'],
  ['discount', 'reduction'],
  ['deliver', 'delivery'],
  ['pay', 'payment'],
  ['salary', 'wage', 'pay'],
  ['return', 'returned'],
  ['allowance', 'quota'],
  ['lead', 'led'],
  ['next', 'upcoming'],
  ['require', 'need'],
  ['average', 'avg', 'mean'],
  ['company', 'firm', 'organisation', 'organization', 'org'],
  ['guest', 'people', 'person'],
  ['carrier', 'courier'],
  ['parcel', 'package', 'shipment', 'tracking'],
  ['vehicle', 'car', 'van', 'plate'],
  ['prescribe', 'prescriber'],
  ['appointment', 'visit'],
  ['schedule', 'planned', 'slot'],
  ['report', 'reporter', 'raised'],
  ['create', 'opened', 'raised', 'filed'],
  ['submit', 'submitted'],
  ['total', 'overall', 'altogether'],
  ['message', 'text'],
  ['colour', 'color'],
  ['address', 'live'],
  ['manager', 'managed'],
  ['version', 'release'],
  ['size', 'large'],
  ['rating', 'rated', 'stars', 'score'],
  ['seat', 'seated'],
  ['gate', 'boarding'],
  ['platform', 'track'],
  ['stock', 'inventory'],
  ['region', 'area'],
  ['employer', 'employed'],
  ['coverage', 'covered', 'cover', 'covers'],
  ['insure', 'insured', 'insurance'],
  ['mileage', 'odometer', 'km'],
  ['interest', 'apr'],
  ['department', 'team'],
];

/** Prepositions that mark the role of a name, and the stems of field names that hold such a role. */
export const ROLES: Readonly<Record<string, ReadonlySet<string>>> = {
  from: words('from origin sourc sender payer depart departur start previous old'),
  to: words('to destin recipi payee receiv arriv arrival target new assigne'),
  by: words('by author creator owner carrier provid manufactur'),
  with: words('carrier provid vendor airlin doctor physician advisor partner merchant insur'),
  at: words('locat venu hotel place addres branch restaur merchant store clinic'),
  in: words('citi locat room build region countri warehous'),
  via: words('carrier method channel provid'),
};

/** Endings of keys that identify a record: the word before names the record, as in `order_id`. */
export const ID_ENDINGS: ReadonlySet<string> = words('id number no ref reference code key locator uuid');

/** Keys that say nothing without the key above them: `price.amount`. */
export const GENERIC_KEYS: ReadonlySet<string> = words(
  'amount value name number text label at on date time total code type',
);

/** Prepositions that mark the role of a date, and the stems of field names that hold such a date. */
export const DATE_ROLES: Readonly<Record<string, ReadonlySet<string>>> = {
  until: words('end until to expir valid through hold close'),
  till: words('end until to expir valid through'),
  through: words('end until to expir through'),
  to: words('end until to'),
  from: words('start from begin since valid'),
  since: words('start from since begin'),
  by: words('due deadlin by until'),
};

/** Fields whose value says by itself what it is: "the order is shipped" needs no word for `status`. */
export const SELF_NAMING: ReadonlySet<string> = words(
  'status state stage name titl label result outcom condit item product method id sku model',
);

/** Key words that carry a unit or a type rather than a meaning. */
export const KEY_NOISE: ReadonlySet<string> = words(
  'at on is has the of and id ids cents cent pence minor utc iso date time datetime timestamp count num value usd eur gbp ms gb mb kb tb kg km pct percent',
);

export const CURRENCIES: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  usd: 'USD',
  eur: 'EUR',
  gbp: 'GBP',
  jpy: 'JPY',
  chf: 'CHF',
  cad: 'CAD',
  aud: 'AUD',
  sek: 'SEK',
  nok: 'NOK',
  dkk: 'DKK',
  pln: 'PLN',
  inr: 'INR',
  '₹': 'INR',
  dollar: 'USD',
  dollars: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
  us$: 'USD',
  yen: 'JPY',
  francs: 'CHF',
  kr: 'SEK',
  fr: 'CHF',
};

/** Minor units: hundredths of the currency that the set names, or of any if it is empty. */
export const MINOR_UNITS: Readonly<Record<string, readonly string[]>> = {
  cent: ['USD', 'EUR', 'CAD', 'AUD'],
  cents: ['USD', 'EUR', 'CAD', 'AUD'],
  pence: ['GBP'],
  penny: ['GBP'],
  minor: [],
};

/** Units by dimension, with their size in the smallest unit of the dimension. */
export const UNITS: Readonly<Record<string, readonly [dimension: string, size: number]>> = {
  ms: ['time', 1],
  millisecond: ['time', 1],
  s: ['time', 1_000],
  sec: ['time', 1_000],
  second: ['time', 1_000],
  min: ['time', 60_000],
  mins: ['time', 60_000],
  minute: ['time', 60_000],
  h: ['time', 3_600_000],
  hr: ['time', 3_600_000],
  hrs: ['time', 3_600_000],
  hour: ['time', 3_600_000],
  day: ['time', 86_400_000],
  week: ['time', 604_800_000],
  night: ['nights', 1],
  month: ['months', 1],
  year: ['months', 12],
  kb: ['bytes', 1],
  mb: ['bytes', 1_000],
  gb: ['bytes', 1_000_000],
  tb: ['bytes', 1_000_000_000],
  g: ['weight', 1],
  gram: ['weight', 1],
  kg: ['weight', 1_000],
  kilo: ['weight', 1_000],
  kilogram: ['weight', 1_000],
  tonne: ['weight', 1_000_000],
  t: ['weight', 1_000_000],
  lb: ['pounds', 1],
  lbs: ['pounds', 1],
  mm: ['length', 1],
  cm: ['length', 10],
  m: ['length', 1_000],
  meter: ['length', 1_000],
  metre: ['length', 1_000],
  km: ['length', 1_000_000],
  kilometer: ['length', 1_000_000],
  kilometre: ['length', 1_000_000],
  mile: ['miles', 1],
  mi: ['miles', 1],
  '%': ['percent', 1],
  percent: ['percent', 1],
  pct: ['percent', 1],
  '°c': ['celsius', 1],
  c: ['celsius', 1],
  celsius: ['celsius', 1],
  '°f': ['fahrenheit', 1],
  fahrenheit: ['fahrenheit', 1],
  wh: ['energy', 1],
  kwh: ['energy', 1_000],
  mwh: ['energy', 1_000_000],
  w: ['power', 1],
  kw: ['power', 1_000],
  mw: ['power', 1_000_000],
  ml: ['volume', 1],
  hl: ['volume', 100_000],
  l: ['volume', 1_000],
  liter: ['volume', 1_000],
  litre: ['volume', 1_000],
  mbps: ['speed', 1],
  gbps: ['speed', 1_000],
};

export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
};

/** Month names of several locales, lower case, without a final dot. */
export const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'january jan januar janvier enero gennaio',
    'february feb februar février fevrier febrero febbraio',
    'march mar märz mars marzo',
    'april apr avril abril aprile',
    'may mai mayo maggio',
    'june jun juni juin junio giugno',
    'july jul juli juillet julio luglio',
    'august aug août aout agosto',
    'september sep sept septembre septiembre settembre',
    'october oct oktober okt octobre octubre ottobre',
    'november nov novembre noviembre',
    'december dec dezember dez décembre decembre diciembre dicembre',
  ].flatMap((names, place) => names.split(' ').map((name) => [name, place + 1] as const)),
);

export const WEEKDAYS: readonly string[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];

/** Past forms that no rule of the stemmer reaches. */
export const IRREGULAR: Readonly<Record<string, string>> = {
  paid: 'pay',
  sent: 'send',
  bought: 'buy',
  left: 'left',
  made: 'make',
  sold: 'sell',
  spent: 'spend',
  held: 'hold',
  began: 'begin',
  flown: 'fly',
  taken: 'take',
  took: 'take',
  given: 'give',
  gave: 'give',
  came: 'come',
  went: 'go',
  shipment: 'ship',
  shipping: 'ship',
  delivery: 'deliver',
  deliveries: 'deliver',
  expiry: 'expir',
  usage: 'us',
  used: 'us',
  uses: 'us',
  using: 'us',
  use: 'us',
  arrival: 'arriv',
  departure: 'depart',
  renewal: 'renew',
  payment: 'pay',
  payments: 'pay',
  cancellation: 'cancel',
  cancelled: 'cancel',
  canceled: 'cancel',
  departs: 'depart',
  booking: 'book',
  bookings: 'book',
  billing: 'bill',
  note: 'note',
  notes: 'note',
  noted: 'note',
  opened: 'open',
  opening: 'open',
  listing: 'list',
  weight: 'weigh',
  height: 'height',
  belonging: 'belong',
};
