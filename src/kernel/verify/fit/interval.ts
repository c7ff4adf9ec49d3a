import type { JsonObject } from '../../../model/json/json.ts';
import { cannotFit, FITS, type Fitting, NOT_PROVABLE } from './answer.ts';
import { keyword } from './rooted.ts';

/** The numbers between two bounds; an open end excludes its bound. */
export interface Interval {
  readonly min: number;
  readonly max: number;
  readonly minOpen: boolean;
  readonly maxOpen: boolean;
}

export function between(min: number, max: number): Interval {
  return { min, max, minOpen: false, maxOpen: false };
}

/** The interval of `minimum`, `maximum` and their exclusive forms. A bound that is not a number is ignored. */
export function numberBounds(node: JsonObject): Interval {
  const least = readBound(node, 'minimum', Number.NEGATIVE_INFINITY);
  const above = readBound(node, 'exclusiveMinimum', Number.NEGATIVE_INFINITY);
  const most = readBound(node, 'maximum', Number.POSITIVE_INFINITY);
  const under = readBound(node, 'exclusiveMaximum', Number.POSITIVE_INFINITY);
  return {
    min: Math.max(least, above),
    max: Math.min(most, under),
    minOpen: above >= least && Number.isFinite(above),
    maxOpen: under <= most && Number.isFinite(under),
  };
}

/** The bounds for integers: an open end moves to the next integer inside, so that `> 0` equals `≥ 1`. */
export function integerBounds({ min, max, minOpen, maxOpen }: Interval): Interval {
  const low = Math.ceil(min);
  const high = Math.floor(max);
  return between(minOpen && low === min ? low + 1 : low, maxOpen && high === max ? high - 1 : high);
}

/** The interval of a length or count, such as `minItems` and `maxItems`. */
export function sizeBounds(node: JsonObject, least: string, most: string): Interval {
  return between(readBound(node, least, 0), readBound(node, most, Number.POSITIVE_INFINITY));
}

function readBound(node: JsonObject, name: string, otherwise: number): number {
  const value = keyword(node, name);
  return typeof value === 'number' ? value : otherwise;
}

export function contains(interval: Interval, value: number): boolean {
  const low = interval.minOpen ? value > interval.min : value >= interval.min;
  return low && (interval.maxOpen ? value < interval.max : value <= interval.max);
}

export function fitInterval(inner: Interval, outer: Interval, what: string): Fitting {
  const low = inner.min > outer.min || (inner.min === outer.min && (!outer.minOpen || inner.minOpen));
  const high = inner.max < outer.max || (inner.max === outer.max && (!outer.maxOpen || inner.maxOpen));
  if (low && high) return FITS;
  const tooHigh = inner.min > outer.max || (inner.min === outer.max && (inner.minOpen || outer.maxOpen));
  const tooLow = inner.max < outer.min || (inner.max === outer.min && (inner.maxOpen || outer.minOpen));
  if (tooHigh || tooLow) return cannotFit(`${what} ${describe(inner)} can never be ${describe(outer)}`);
  return NOT_PROVABLE;
}

function describe({ min, max, minOpen, maxOpen }: Interval): string {
  if (min === max) return String(min);
  const parts: string[] = [];
  if (min > Number.NEGATIVE_INFINITY) parts.push(`${minOpen ? 'above' : 'at least'} ${min}`);
  if (max < Number.POSITIVE_INFINITY) parts.push(`${maxOpen ? 'below' : 'at most'} ${max}`);
  return parts.join(' and ') || 'any number';
}
