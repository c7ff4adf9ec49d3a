/**
 * Units, currencies, number words and month names of the release check, as data. A changed row changes rulings: raise
 * `RELEASE_CHECK` with it.
 * @module
 */

/** Reads entries of the form `name: word word`, one a line or between semicolons. */
export function table(text: string): readonly (readonly [name: string, words: readonly string[]])[] {
  return text
    .trim()
    .split(/[\n;]/u)
    .map((entry) => {
      const [name = '', words = ''] = entry.split(/:\s/u);
      return [name.trim(), words.trim().split(/\s+/u)] as const;
    });
}

export type Words = ReadonlySet<string>;
export const words = (text: string): Words => new Set(text.trim().split(/\s+/u));
export const rows = (text: string): ReadonlyMap<string, Words> =>
  new Map(table(text).map(([name, list]) => [name, new Set(list)] as const));

/** Turns the lines around: each word leads to the name of its line. */
const namesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(table(text).flatMap(([name, words]) => words.map((word) => [word, name] as const)));

export const CURRENCIES: ReadonlyMap<string, string> = namesOf(`
  USD: $ usd us$ dollar dollars
  EUR: € eur euro euros
  GBP: £ gbp pound pounds quid
  JPY: ¥ jpy yen
  CHF: chf francs fr franken
  CAD: cad c$ ca$
  AUD: aud a$ au$
  NZD: nzd nz$
  SEK: sek kr kronor
  NOK: nok
  DKK: dkk
  PLN: pln zł
  INR: inr ₹ rupees
  CZK: czk
  BRL: brl r$
  SGD: sgd s$
`);

/** Minor units: hundredths of the currencies of the line, or of any currency if there are none. */
export const MINOR_UNITS: ReadonlyMap<string, readonly string[]> = new Map(
  table(`
    cent: USD
    cents: USD
    pence: GBP
    penny: GBP
  `),
).set('minor', []);

/** Units by dimension, each with its size in the smallest unit of the dimension. */
export const UNITS: ReadonlyMap<string, readonly [dimension: string, size: number]> = new Map(
  table(`
    time: ms=1 millisecond=1 s=1000 sec=1000 second=1000 min=60000 mins=60000 minute=60000 h=3600000 hr=3600000 hrs=3600000 hour=3600000 day=86400000 week=604800000
    nights: night=1
    months: month=1 year=12
    bytes: kb=1 mb=1000 gb=1000000 tb=1000000000
    weight: mg=1 g=1000 gram=1000 kg=1000000 kilo=1000000 kilogram=1000000 tonne=1000000000 t=1000000000
    pounds: lb=1 lbs=1
    length: mm=1 cm=10 m=1000 meter=1000 metre=1000 km=1000000 kilometer=1000000 kilometre=1000000
    miles: mile=1 mi=1
    feet: ft=1 feet=1 foot=1
    area: sqm=1 m2=1 m²=1 ha=10000 hectare=10000
    percent: %=1 percent=1 pct=1
    celsius: °c=1 c=1 celsius=1 degree=1
    fahrenheit: °f=1 fahrenheit=1
    energy: wh=1 kwh=1000 mwh=1000000
    power: w=1 kw=1000 mw=1000000
    volume: ml=1 cl=10 l=1000 liter=1000 litre=1000 hl=100000 m3=1000000 m³=1000000 cbm=1000000
    speed: mbps=1 gbps=1000
    pace: kmh=1
    substance: mmol=1
  `).flatMap(([dimension, units]) =>
    units.map((entry) => {
      const [unit = '', size] = entry.split('=');
      return [unit, [dimension, Number(size)] as const] as const;
    }),
  ),
);

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety hundred';

export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...SMALL.split(' ').map((word, place) => [word, place] as const),
  ...TENS.split(' ').map((word, place) => [word, 20 + 10 * place] as const),
]);

/** Month names of several locales, lower case, without a final dot. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  table(`
    1: january jan januar janvier enero gennaio
    2: february feb februar février fevrier febrero febbraio
    3: march mar märz mars marzo
    4: april apr avril abril aprile
    5: may mai mayo maggio
    6: june jun juni juin junio giugno
    7: july jul juli juillet julio luglio
    8: august aug août aout agosto
    9: september sep sept septembre septiembre settembre
    10: october oct oktober okt octobre octubre ottobre
    11: november nov novembre noviembre
    12: december dec dezember dez décembre decembre diciembre dicembre
  `).flatMap(([month, names]) => names.map((name) => [name, Number(month)] as const)),
);

export const WEEKDAYS: readonly string[] = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
