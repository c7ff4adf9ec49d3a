import type { FaultCode } from '../../model/fault/fault.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { pointerKeys } from '../../model/json/pointer.ts';
import { Binding } from '../../model/plan/plan.ts';
import type { FoundSource } from './binding-sources.ts';
import type { Producer } from './fit/domain.ts';
import { locate } from './fit/locate.ts';
import { ANYTHING, rooted } from './fit/rooted.ts';

/** A well-formed binding in a document, and whether its source always has a value there. */
export interface Hole {
  /** JSON Pointer to the binding. */
  readonly path: string;
  readonly binding: Binding;
  readonly certain: boolean;
}

/** Why a binding cannot supply a value. */
export interface BindingFailure {
  readonly code: FaultCode;
  readonly message: string;
  readonly detail?: JsonObject;
}

export type ReadBinding = { readonly failure: BindingFailure } | { readonly hole: Hole; readonly producer: Producer };

/** Reads a binding and finds the schema of the value that it supplies. */
export function readBinding(raw: JsonObject, path: string, find: (from: string) => FoundSource): ReadBinding {
  const unresolved = (message: string): ReadBinding => ({ failure: { code: 'binding_unresolved', message } });
  const read = Binding.safeParse(raw);
  if (!read.success) return unresolved('a binding has exactly "$from", the id of a step, and "path", a JSON Pointer');
  const binding = read.data;
  const source = find(binding.$from);
  if (source.kind === 'unknown')
    return unresolved(`there is no step ${binding.$from} in this plan, and nothing was committed under that id`);
  if (source.kind === 'stale') {
    const message = `what ${binding.$from} said has been looked up anew since: bind to the newer step, or look it up again`;
    return { failure: { code: 'contaminated_support', message, detail: { reference: binding.$from, kind: 'stale' } } };
  }
  if (source.output === null) return { hole: { path, binding, certain: false }, producer: ANYTHING };
  const located = locate(rooted(source.output), pointerKeys(binding.path));
  if (located.presence === 'never')
    return unresolved(`the output of ${binding.$from} can have nothing at ${JSON.stringify(binding.path)}`);
  return { hole: { path, binding, certain: located.presence === 'always' }, producer: located.schema };
}

/** The bindings of a document by their place. */
export const boundPlaces = (holes: readonly Hole[]): ReadonlyMap<string, Binding> =>
  new Map(holes.map(({ path, binding }) => [path, binding]));

/** Returns the binding at or above a path, or undefined. */
export function nearestBinding(bound: ReadonlyMap<string, Binding>, path: string): Binding | undefined {
  for (let place = path; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const found = bound.get(place);
    if (found !== undefined || place === '') return found;
  }
}
