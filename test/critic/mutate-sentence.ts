/** Changes one part of a sentence, so that a right sentence becomes a wrong one. */
export interface Mutant {
  readonly kind: string;
  readonly text: string;
}

type Mutation = readonly [kind: string, pattern: RegExp, change: (match: RegExpExecArray) => string | null];

const swap = (pairs: string): ReadonlyMap<string, string> =>
  new Map(
    pairs.split(' ').flatMap((pair) => {
      const [a = '', b = ''] = pair.split('/');
      return [
        [a, b],
        [b, a],
      ];
    }),
  );

const UNITS = swap(
  'minutes/hours minute/hour days/weeks day/week months/years month/year kg/g km/m GB/MB kWh/MWh litres/ml %/kg €/$ £/¥',
);
const WORDS = swap(
  'two/three four/five six/seven eight/nine ten/eleven twelve/thirteen twenty/thirty Two/Three Four/Five',
);
const ROLES = swap('from/to until/from since/until before/after');
const LINKS = swap('and/or');
const BE = /\b(is|are|was|were|has|have|can|will|does)\b(?! not|n't)/gu;

const MUTATIONS: readonly Mutation[] = [
  ['number', /\d(?=\D|$)/gu, ([digit]) => String((Number(digit) + 1) % 10)],
  ['word number', /\b\p{L}+\b/gu, ([word]) => WORDS.get(word) ?? null],
  ['unit', /[€$£%]|\b[\p{L}]+\b/gu, ([word]) => UNITS.get(word) ?? null],
  ['negation', BE, ([verb]) => `${verb} not`],
  [
    'preposition',
    /\b(?:from|to|until|since|before|after)\b(?= (?:the |your |an? )?[\p{Lu}\d€$£])/gu,
    ([word]) => ROLES.get(word) ?? null,
  ],
  ['link', /\b(?:and|or)\b/gu, ([word]) => LINKS.get(word) ?? null],
  ['dropped negation', /\b(?:not|no|never)\b |n't\b/giu, () => ''],
  [
    'comparison',
    /\b(?:more|less|higher|lower|above|below|later|earlier)\b/gu,
    ([word]) => COMPARISONS.get(word) ?? null,
  ],
];
const COMPARISONS = swap('more/less higher/lower above/below later/earlier');

/** The mutants of a sentence, each with one change. The names of one group replace each other. */
export function mutantsOf(text: string, groups: readonly (readonly string[])[]): readonly Mutant[] {
  const changed = MUTATIONS.flatMap(([kind, pattern, change]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const other = change(match);
      return other === null ? [] : [{ kind, text: replaceAt(text, match.index, match[0].length, other) }];
    }),
  );
  const renamed = groups.flatMap((names) =>
    names.flatMap((name) => {
      const at = text.indexOf(name);
      if (at < 0) return [];
      return names
        .filter((other) => other !== name && !text.includes(other))
        .map((other) => ({ kind: 'name', text: replaceAt(text, at, name.length, other) }));
    }),
  );
  return [...changed, ...renamed];
}

const replaceAt = (text: string, at: number, length: number, other: string): string =>
  `${text.slice(0, at)}${other}${text.slice(at + length)}`;
