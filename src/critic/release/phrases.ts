/**
 * Phrases that the check reads as another form, as data: the first column is a pattern, the second the form. A changed row
 * changes rulings: raise `RELEASE_CHECK` with it.
 * @module
 */
const BE = "(is|are|was|were|be|been|being|it's|that's|remains?|stays?|turned|switched|currently|still|now)";

const ROWS: readonly (readonly [pattern: string, form: string])[] = [
  // Phrases that state nothing.
  [
    '(?:just )?right now|at (?:the|this) (?:moment|point|time|stage)|at present|for (?:now|the moment|the time being)',
    'now',
  ],
  ['as (?:it|things) stands?(?: (?:now|today))?|as of (?:now|today|this moment)|in the meantime|as we speak', 'now'],
  [
    'on the other hand|by contrast|in (?:contrast|comparison|turn|addition|particular|fact|short|brief|other words)',
    'also',
  ],
  [
    'as (?:requested|you asked|you know|promised|a reminder|expected|planned)|as far as (?:I|we) can (?:see|tell)',
    'also',
  ],
  [
    'for (?:your (?:information|reference|records|convenience)|reference|the record|context|completeness|clarity)',
    'also',
  ],
  ['(?:please )?(?:do )?(?:note|be aware|keep in mind|bear in mind|remember)(?: also)? that', 'also'],
  ['(?:I|we) can (?:also )?(?:confirm|see|tell you|report|say)(?: here)?(?: that)?', 'also'],
  ['(?:it )?(?:looks like|turns out(?: that)?|appears that|seems that)', 'also'],
  [
    'according to (?:our|the|your|my) (?:records?|systems?|data|files?|account|information|database|notes|overview)',
    'also',
  ],
  ['(?:based on|per|from|going by) (?:our|your) (?:records?|systems?|data|files?|information)', 'also'],
  ['(?:the|our|your) (?:records?|systems?|data|files?) (?:shows?|says?|indicates?|lists?)(?: that)?', 'also'],
  ["you(?:'ll| will) (find|see|notice)", 'you $1'],
  ["you'll", 'you will'],
  ['all in all|all told|in all|in sum', 'in total'],
  ['up (?:un)?til now|until now|to date|up to now|thus far|as yet', 'so far'],
  ['along the way|as well|in question|on (?:record|file|the books)|to be (?:exact|precise|clear)', 'also'],
  ['(?:listed|shown|given|summari[sz]ed|set out|see|as) (?:below|above|here)', 'listed'],
  // Negations.
  ['(?:no|not any) longer', 'not'],
  [`${BE} off(?![-\\p{L}]| (?:the|your|from|at|for|on))`, '$1 not on'],
  ['out of stock', 'not in stock'],
  ['(?:sold out|fully booked)', 'not available'],
  ['out of (?:service|order)', 'not in service'],
  ['free of charge|at no (?:extra |additional )?(?:charge|cost)|without charge', 'without a charge'],
  ['(has|have|had|is|are) yet to be (\\p{L}+)', '$1 not been $2 yet'],
  // Numbers and times.
  [
    '(\\d+|\\p{L}+) and a half (hours?|days?|weeks?|months?|years?|minutes?|litres?|liters?|points?|km|kg)',
    '$1-and-a-half $2',
  ],
  ['an? (hour|day|week|month|year|minute|litre|point) and a half', '1.5 $1s'],
  ['an? hour and a quarter', '75 minutes'],
  ['an? hour and three quarters', '105 minutes'],
  ['three[- ]quarters of an hour', '45 minutes'],
  ['a quarter of an hour', '15 minutes'],
  ['half an hour', '30 minutes'],
  ['half a (day|litre|liter|point|kilo|mile|metre|meter|tonne|percent)', '0.5 $1s'],
  ['a dozen', '12'],
  ['once(?= (?:a|per|more|in))', '1 time'],
  ['twice', '2 times'],
  ['((?:at|until|till|by|before|and|to|from|is|after) )(?:12 )?noon', '$112:00'],
  ['((?:at|until|till|by|before|and|to|from|is|after) )midnight', '$100:00'],
  ['(\\d{1,2}) h (\\d{2})(?!\\d)', '$1:$2'],
  ['cubic met(?:re|er)s?', 'm³'],
  ['square met(?:re|er)s?|sq\\.? m', 'sqm'],
  ['per cent', 'percent'],
  ['kilomet(?:re|er)s per hour|km/h|kph', 'kmh'],
  ['degrees? (?:celsius|C)(?!\\p{L})', '°C'],
  ['degrees? (?:fahrenheit|F)(?!\\p{L})', '°F'],
];

const HALVES: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const half = (_: string, count: string, unit: string): string => {
  const place = HALVES.indexOf(count.toLowerCase());
  const number = /^\d+$/u.test(count) ? count : place < 0 ? null : String(place);
  return number === null ? `${count} and a half ${unit}` : `${number}.5 ${unit}`;
};

/** "4:00 to 4:45 pm": both times are in the afternoon, if the first is the earlier one. */
const RANGE = /(?<![\d:.])(\d{1,2})(:\d{2})?( ?(?:to|and|until|[-–]) ?)(\d{1,2})(:\d{2})? ?([ap])\.?m\b/giu;
const range = (all: string, ...parts: readonly (string | undefined)[]): string => {
  const [from = '', fromMinutes = '', link = '', to = '', toMinutes = '', half = ''] = parts;
  const isLater =
    (Number(from) % 12) * 60 + Number(fromMinutes.slice(1)) < (Number(to) % 12) * 60 + Number(toMinutes.slice(1));
  return isLater ? `${from}${fromMinutes} ${half}m ${link.trim()} ${to}${toMinutes} ${half}m` : all;
};

const REWRITES: readonly (readonly [RegExp, string])[] = ROWS.map(
  ([pattern, form]) => [new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}\\d])`, 'giu'), form] as const,
);
const QUOTED = /("[^"]{0,400}"|“[^”]{0,400}”|„[^“”]{0,400}[“”]|«[^»]{0,400}»)/u;

/** Writes phrases in the form that the check reads. Quotations stay as they are. */
export const normalize = (text: string): string =>
  text
    .split(QUOTED)
    .map((part) => (QUOTED.test(part) ? part : rewrite(part)))
    .join('');

const rewrite = (text: string): string =>
  REWRITES.reduce((current, [pattern, form]) => current.replace(pattern, form), text)
    .replace(/((?<!\d)\d+|(?<!\p{L})\p{L}+)-and-a-half (\p{L}+)/giu, half)
    .replace(RANGE, range);
