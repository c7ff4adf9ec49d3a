import { Fault } from '../../model/fault.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import type { RunPins } from '../effects.ts';

/**
 * What no tool of any agent brings is never seen, and so is never remembered: a misspelt type would be found out when
 * somebody misses what was to be kept. Agents and their lanes share one memory, so it is asked of all of them at once.
 */
export function assertKeptTypes(agents: readonly Pick<RunPins, 'memory' | 'registry'>[]): void {
  const produced = new Set(agents.flatMap(({ registry }) => registry.tools.flatMap(({ produces }) => produces)));
  const kept = new Set(agents.flatMap(({ memory }) => Object.keys(memory?.keep ?? {})));
  const strange = [...kept].find((type) => !produced.has(type));
  if (strange === undefined) return;
  const path = `/world/memory/keep${pointerToken(strange)}`;
  const known = produced.size === 0 ? 'they produce nothing' : `they produce ${[...produced].toSorted().join(', ')}`;
  const message = `${path}: no tool produces evidence of the type ${printable(strange)}; ${printable(known)}`;
  throw new Fault('input_invalid', message, { path });
}
