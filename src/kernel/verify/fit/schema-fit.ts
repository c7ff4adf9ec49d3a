import {
  cannotFit,
  combineAlternatives,
  combineDescriptions,
  demandAll,
  FITS,
  type Fitting,
  NOT_PROVABLE,
} from './answer.ts';
import { type Domain, domainsOf, isDomain, type Producer } from './domain.ts';
import { fitPlain } from './plain.ts';
import { ANYTHING, branches, isForeign, keyword, type Rooted, resolveRef } from './rooted.ts';

/**
 * Limits of one comparison. Schemas are untrusted and may refer to themselves or multiply their alternatives; beyond a
 * limit the answer is `not_provable`, and the value itself is checked later.
 */
const COMPARISONS_MAX = 20_000;
const DEPTH_MAX = 40;

interface Search {
  left: number;
}

/**
 * Compares two JSON Schemas (2020-12) and names the places that cannot fit. `fits` means that the consumer accepts every
 * value of the producer, `cannot_fit` that it accepts none.
 */
export function explainFit(producer: Producer, consumer: Rooted): Fitting {
  return compare(producer, consumer, { left: COMPARISONS_MAX }, 0);
}

function compare(producer: Producer, consumer: Rooted, search: Search, depth: number): Fitting {
  search.left -= 1;
  if (search.left < 0 || depth > DEPTH_MAX) return NOT_PROVABLE;
  const { schema } = consumer;
  if (schema === true) return FITS;
  if (schema === false) return cannotFit('must not be there');
  if (!isDomain(producer) && producer.schema === schema && producer.root === consumer.root) return FITS;
  if (isForeign(consumer)) return NOT_PROVABLE;
  const deeper = (source: Producer, wanted: Rooted): Fitting => compare(source, wanted, search, depth + 1);
  const fittings = [eachDomain(producer, search, depth, (domain) => fitPlain(domain, consumer, schema, deeper))];
  const ref = keyword(schema, '$ref');
  if (ref !== undefined) {
    const target = resolveRef(consumer, ref);
    fittings.push(target === null ? NOT_PROVABLE : deeper(producer, target));
  }
  const all = keyword(schema, 'allOf');
  if (all !== undefined) {
    const parts = branches(consumer, all);
    fittings.push(parts === null ? NOT_PROVABLE : demandAll(parts.map((part) => deeper(producer, part))));
  }
  for (const [name, judge] of UNIONS) {
    const union = keyword(schema, name);
    if (union === undefined) continue;
    const parts = branches(consumer, union);
    const byDomain = (domain: Domain): Fitting =>
      parts === null ? NOT_PROVABLE : judge(parts.map((part) => deeper(domain, part)));
    fittings.push(eachDomain(producer, search, depth, byDomain));
  }
  return demandAll(fittings);
}

/**
 * Splits the producer into domains of one type each. The split precedes the consumer's unions, so that `string or null`
 * fits `anyOf: [string, null]`.
 */
function eachDomain(producer: Producer, search: Search, depth: number, judge: (domain: Domain) => Fitting): Fitting {
  search.left -= 1;
  if (isDomain(producer)) return judge(producer);
  if (search.left < 0 || depth > DEPTH_MAX) return NOT_PROVABLE;
  const { schema } = producer;
  if (isForeign(producer)) return eachDomain(ANYTHING, search, depth, judge);
  if (typeof schema === 'boolean') return combineAlternatives(domainsOf(producer).map(judge));
  const inner = (part: Rooted): Fitting => eachDomain(part, search, depth + 1, judge);
  const parts: Fitting[] = [];
  const ref = keyword(schema, '$ref');
  const target = ref === undefined ? null : resolveRef(producer, ref);
  if (target !== null) parts.push(inner(target));
  for (const part of branches(producer, keyword(schema, 'allOf') ?? null) ?? []) parts.push(inner(part));
  for (const [name] of UNIONS) {
    const union = branches(producer, keyword(schema, name) ?? null);
    if (union !== null) parts.push(combineAlternatives(union.map(inner)));
  }
  // Without a type of its own, such a schema is described by its parts alone.
  const hasOwnType = ['type', 'const', 'enum'].some((name) => Object.hasOwn(schema, name));
  if (hasOwnType || parts.length === 0) parts.push(combineAlternatives(domainsOf(producer).map(judge)));
  return combineDescriptions(parts);
}

function anyOf(alternatives: readonly Fitting[]): Fitting {
  if (alternatives.some(({ answer }) => answer === 'fits')) return FITS;
  return alternatives.every(({ answer }) => answer === 'cannot_fit')
    ? cannotFit('fits none of the alternatives')
    : NOT_PROVABLE;
}

function oneOf(alternatives: readonly Fitting[]): Fitting {
  const fitting = alternatives.filter(({ answer }) => answer === 'fits').length;
  const impossible = alternatives.filter(({ answer }) => answer === 'cannot_fit').length;
  if (impossible === alternatives.length) return cannotFit('fits none of the alternatives');
  if (fitting > 1) return cannotFit('fits more than one of the alternatives');
  return fitting === 1 && impossible === alternatives.length - 1 ? FITS : NOT_PROVABLE;
}

const UNIONS: readonly (readonly [name: string, judge: (alternatives: readonly Fitting[]) => Fitting])[] = [
  ['anyOf', anyOf],
  ['oneOf', oneOf],
];
