import { Fault } from '../../model/fault/fault.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import type { RunPins } from '../../session/perform/effects.ts';
import type { Agent } from '../agent.ts';

/**
 * Rejects a `memory.keep` type that no tool produces. A misspelt type would otherwise go unnoticed until a memory is
 * missing. Agents and their lanes share one memory, so the check covers all of them at once.
 */
export function assertKeptTypes(agents: readonly Pick<RunPins, 'memory' | 'registry'>[]): void {
  const produced = new Set(agents.flatMap(({ registry }) => registry.tools.flatMap(({ produces }) => produces)));
  const kept = new Set(agents.flatMap(({ memory }) => Object.keys(memory?.keep ?? {})));
  const strange = [...kept].find((type) => !produced.has(type));
  if (strange === undefined) return;
  const path = `/world/memory/keep${pointerToken(strange)}`;
  const known =
    produced.size === 0 ? 'the tools produce no evidence' : `the tools produce ${[...produced].toSorted().join(', ')}`;
  const message = `${path}: no tool produces evidence of type ${printable(strange)}; ${printable(known)}`;
  throw new Fault('input_invalid', message, { path });
}

/** Splits an agent into the separate options that the later checks expect. Nothing is validated here. */
export function splitAgent<Parts>(options: unknown): Parts {
  const agent = (options as { readonly agent?: unknown } | undefined)?.agent;
  if (typeof agent !== 'object' || agent === null || !('spec' in agent)) return options as Parts;
  const twice = ['tools', 'planner', 'decisions'].filter((part) => Object.hasOwn(options as object, part));
  if (twice.length > 0) {
    const message = `the agent already has its ${twice.join(', ')}: declare them in agent(), and remove them here`;
    throw new Fault('input_invalid', message, { path: `/${twice[0]}` });
  }
  const { spec, tools, planner, decisions } = agent as Agent;
  return { ...(options as object), agent: spec, tools, planner, decisions } as Parts;
}
